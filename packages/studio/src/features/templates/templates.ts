import { approval } from './documents/approval.ts'
import { fanOutImport } from './documents/fan-out-import.ts'
import { nightlyReport } from './documents/nightly-report.ts'
import { orderSaga } from './documents/order-saga.ts'
import { pollUntilReady } from './documents/poll-until-ready.ts'
import { webhookRelay } from './documents/webhook-relay.ts'
import type { Template } from './template.ts'

export const templates: readonly Template[] = [
  approval,
  orderSaga,
  nightlyReport,
  fanOutImport,
  webhookRelay,
  pollUntilReady,
]
