import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useUrlSearch } from '../app/use-url-search.ts'

const PAUSE_MS = 250

/** What is typed becomes a parameter of the address once the typing pauses; the list begins anew. */
export function SearchField({ parameter, label }: { readonly parameter: string; readonly label: string }) {
  const [search, change] = useUrlSearch()
  const [text, setText] = useState(search[parameter] ?? '')
  const [asked] = useDebouncedValue(text, PAUSE_MS)
  useEffect(() => {
    if (asked !== (search[parameter] ?? '')) change({ [parameter]: asked, cursor: undefined }, true)
  }, [asked, search[parameter], parameter, change])
  return (
    <TextInput
      data-search-field
      size="xs"
      w={320}
      aria-label={label}
      placeholder={`${label} …`}
      leftSection={<Search size={14} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  )
}
