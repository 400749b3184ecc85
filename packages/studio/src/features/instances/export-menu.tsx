import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { toProblem } from '../../api/problem.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { saveFile } from '../../browser/save-file.ts'
import { instancesCsv, instancesLines, MOST_EXPORTED, readAll } from './export-instances.ts'
import { termsOf } from './filter-terms.ts'

/** Hands out all that fit the filter, as a table or whole. */
export function ExportMenu() {
  const [search] = useUrlSearch()
  const save = useMutation({
    mutationFn: async (format: 'csv' | 'jsonl') => {
      const { rows, isWhole } = await readAll(Object.fromEntries(termsOf(search)))
      if (format === 'csv') saveFile('instances.csv', 'text/csv', instancesCsv(rows, search.columns))
      else saveFile('instances.jsonl', 'application/jsonl', instancesLines(rows))
      return { count: rows.length, isWhole }
    },
    onSuccess: ({ count, isWhole }) =>
      notifications.show({
        message: `${count.toLocaleString('en')} instances exported${isWhole ? '' : `: the newest, there are more`}`,
      }),
    onError: (error) =>
      notifications.show({ color: 'danger', title: toProblem(error).title, message: toProblem(error).detail }),
  })
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Tooltip label={`Export what fits, at most ${MOST_EXPORTED.toLocaleString('en')}`}>
          <ActionIcon variant="default" size={30} aria-label="Export" loading={save.isPending}>
            <Download size={15} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => save.mutate('csv')}>As CSV, with the columns chosen</Menu.Item>
        <Menu.Item onClick={() => save.mutate('jsonl')}>As JSON Lines, whole</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
