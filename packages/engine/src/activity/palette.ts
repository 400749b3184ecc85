import type { ActivityType } from './activity-type.ts'

/** Where the built-in activities stand in a palette, and the icon of each (names of Lucide's). */
const shelves: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Triggers: {
    cron: 'calendar-clock',
    interval: 'repeat',
    event: 'radio',
    'http-endpoint': 'webhook',
    'rabbitmq-message': 'inbox',
  },
  'Control flow': {
    if: 'split',
    switch: 'list-tree',
    'for-each': 'list-checks',
    for: 'iteration-cw',
    while: 'refresh-cw',
    break: 'circle-slash',
    continue: 'skip-forward',
    parallel: 'rows-3',
    try: 'shield',
    'critical-section': 'lock',
    compensate: 'undo-2',
    fault: 'octagon-x',
    finish: 'flag',
  },
  Waiting: {
    delay: 'timer',
    'wait-until': 'clock',
    'wait-for-event': 'hourglass',
    'human-task': 'user-check',
    'run-task': 'hammer',
  },
  Data: {
    'set-variable': 'variable',
    'set-output': 'log-out',
    transform: 'shuffle',
    script: 'code',
    correlate: 'link',
    log: 'scroll-text',
  },
  Workflows: { 'run-workflow': 'workflow', 'bulk-run': 'layers', 'publish-event': 'megaphone' },
  Outside: {
    'http-request': 'globe',
    'http-response': 'reply',
    webhook: 'send',
    'send-email': 'mail',
    'sql-query': 'database',
    'redis-publish': 'podcast',
    'rabbitmq-publish': 'rabbit',
  },
}

/** The same activity, with its shelf and its icon. */
export function onItsShelf(activity: ActivityType): ActivityType {
  for (const [category, icons] of Object.entries(shelves)) {
    const icon = icons[activity.type]
    if (icon !== undefined) return { ...activity, category, icon }
  }
  return activity
}
