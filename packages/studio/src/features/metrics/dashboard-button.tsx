import { Button, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { LayoutDashboard } from 'lucide-react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import { saveFile } from '../../browser/save-file.ts'

/** Hands out the dashboard that the server has for Grafana. */
export function DashboardButton() {
  const save = useMutation({
    mutationFn: async () => {
      const dashboard = await call<unknown>('GET', '/metrics/dashboard', {})
      saveFile('lockstep-grafana.json', 'application/json', JSON.stringify(dashboard, undefined, 2))
    },
    onError: (error) =>
      notifications.show({ color: 'danger', title: toProblem(error).title, message: toProblem(error).detail }),
  })
  return (
    <Tooltip label="A dashboard to import in Grafana, for a Prometheus that scrapes the nodes" multiline maw={280}>
      <Button
        size="xs"
        variant="default"
        leftSection={<LayoutDashboard size={14} />}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        Grafana
      </Button>
    </Tooltip>
  )
}
