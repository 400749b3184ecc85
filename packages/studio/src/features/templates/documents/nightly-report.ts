import type { Template } from '../template.ts'

export const nightlyReport: Template = {
  key: 'nightly-report',
  title: 'Nightly report',
  about: 'At half past two every night: reads figures and sends them on. A night that was missed is caught up once.',
  document: {
    activities: [
      {
        id: 'nightly',
        name: 'Every night',
        type: 'cron',
        inputs: { cron: '30 2 * * *', zone: 'UTC', misfire: 'fire-once', overlap: 'skip' },
      },
      {
        id: 'sales',
        name: 'Read the sales',
        type: 'http-request',
        inputs: { method: 'GET', url: 'https://example.com/sales', timeout: '30s' },
        retry: { attempts: 10, backoff: { initial: '10s', max: '10m' } },
      },
      {
        id: 'report',
        name: 'Write the report',
        type: 'transform',
        inputs: { value: { title: 'Sales of yesterday', total: { $expr: 'steps.sales.output.body.total' } } },
      },
      {
        id: 'send',
        name: 'Send it',
        type: 'http-request',
        inputs: { method: 'POST', url: 'https://example.com/reports', body: { $expr: 'steps.report.output' } },
        retry: { attempts: 10, backoff: { initial: '10s', max: '10m' } },
      },
    ],
    connections: [
      { from: 'nightly', to: 'sales' },
      { from: 'sales', to: 'report' },
      { from: 'report', to: 'send' },
    ],
  },
}
