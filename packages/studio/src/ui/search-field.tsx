import { TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useUrlSearch } from '../app/use-url-search.ts'
import { after } from '../browser/time.ts'

const PAUSE_MS = 250

/** What is typed becomes a parameter of the address once the typing pauses; the list begins anew. What changes the address otherwise is shown. */
export function SearchField({ parameter, label }: { readonly parameter: string; readonly label: string }) {
  const [search, change] = useUrlSearch()
  const said = search[parameter] ?? ''
  /** Absent: the address says it all. */
  const [typed, setTyped] = useState<string>()
  if (typed === said) setTyped(undefined)
  useEffect(() => {
    if (typed === undefined) return
    return after(PAUSE_MS, () => change({ [parameter]: typed, cursor: undefined }, true))
  }, [typed, parameter, change])
  return (
    <TextInput
      data-search-field
      size="xs"
      w={320}
      aria-label={label}
      placeholder={`${label} …`}
      leftSection={<Search size={14} />}
      value={typed ?? said}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  )
}
