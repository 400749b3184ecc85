import { ActionIcon, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Check, Copy } from 'lucide-react'

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const { copy, copied } = useClipboard({ timeout: 1_500 })
  return (
    <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={24}
        // In a line of text it is no taller than the line.
        style={{ verticalAlign: 'middle', marginBlock: -4 }}
        aria-label={`Copy ${what}`}
        onClick={(event) => {
          event.preventDefault()
          event.stopPropagation()
          copy(text)
        }}
      >
        {copied ? <Check size={13} /> : <Copy size={13} />}
      </ActionIcon>
    </Tooltip>
  )
}
