/** What help begins with, by the words of the command: what people want of it most. A test holds them against the commands that there are. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  '': [
    'lockstep init hello && cd hello && lockstep server',
    'lockstep definitions push workflows/hello.yaml --publish',
    `lockstep instances start hello --input '{"name":"you"}' --wait`,
    "lockstep instances list --filter 'status=faulted createdAt>=-1h'",
    'lockstep why wfi_…',
  ],
  init: ['lockstep init hello'],
  server: ['lockstep server --port 4400', 'lockstep server --host 0.0.0.0 --database-url postgres://…/lockstep'],
  dev: ['lockstep dev', 'lockstep dev --port 0 --samples off'],
  validate: ['lockstep validate workflows/*.yaml', 'lockstep validate - --json < order.json'],
  definitions: [
    'lockstep definitions push order.yaml --publish',
    'lockstep definitions list --tag eu --sort -updatedAt',
    'lockstep definitions diff order published draft',
    'lockstep definitions rollback order',
  ],
  'definitions run': [
    `lockstep workflow run order --input '{"amount":99}' --correlation order-42`,
    'lockstep workflow run order --input @order.json --wait',
  ],
  'definitions list': ['lockstep definitions list --search approval', 'lockstep definitions list --tag eu,us -o id'],
  instances: [
    'lockstep instances start order --input @order.json --wait',
    "lockstep instances list --filter 'status=faulted tag=eu createdAt>=-1d'",
    'lockstep instances watch wfi_…',
    'lockstep instances retry wfi_…',
    `lockstep instances resume wfi_… approved --payload '{"by":"Ada"}'`,
  ],
  'instances list': [
    "lockstep instances list --filter 'status=faulted,suspended definition=order'",
    'lockstep instances list --search customer-42',
    "lockstep instances list --filter 'input.customerId=42' --sort createdAt --all -o jsonl",
  ],
  'instances rm': [
    'lockstep instances rm wfi_… --dry-run',
    'lockstep instances rm wfi_… --yes',
    "lockstep batches run delete --filter 'status=completed finishedAt<-7d' --dry-run",
  ],
  'instances start': [
    `lockstep instances start order --input '{"amount":99}' --correlation order-42`,
    'lockstep instances start order --input @order.json --wait',
  ],
  schedules: ['lockstep schedules list', 'lockstep schedules next nightly', 'lockstep schedules pause nightly'],
  queues: ['lockstep queues list --watch'],
  tasks: ['lockstep tasks list --queue mail --status claimed'],
  'human-tasks': [
    'lockstep human-tasks list',
    'lockstep human-tasks complete hmt_… --outcome approved --by Ada',
    'lockstep human-tasks link hmt_… --ttl 1d',
  ],
  'dead-letters': ['lockstep dead-letters list', 'lockstep dead-letters retry dlt_… --input @mended.json'],
  incidents: [
    'lockstep incidents groups',
    "lockstep incidents mute 5f0c… --for 8h --note 'the bank mends it'",
    "lockstep incidents resolve inc_… --note 'known'",
  ],
  batches: [
    "lockstep batches run retry --filter 'status=faulted definition=order' --dry-run",
    "lockstep batches run cancel --filter 'tag=trial createdAt<-30d' --yes --wait",
    'lockstep batches pause bop_…',
  ],
  flow: [`lockstep flow set order '{"concurrency":{"limit":5}}'`, 'lockstep flow reset order'],
  limits: ['lockstep limits list', 'lockstep limits set payments --concurrency 5 --rate 100/1m'],
  caches: ['lockstep caches list', 'lockstep caches clear definitions'],
  breakers: [
    "lockstep breakers trip payments --for 10m --reason 'the bank is down'",
    'lockstep breakers reset payments',
  ],
  events: [`lockstep events publish approved --correlation order-42 --payload '{"by":"Ada"}'`],
  locks: ['lockstep locks list', "lockstep locks release nightly --reason 'its holder is gone' --yes"],
  nodes: ['lockstep nodes list'],
  cluster: ['lockstep cluster status', 'lockstep cluster drain node-2', 'lockstep cluster dev --nodes 3'],
  auth: ['lockstep auth login prod --url https://flow.example.com', 'lockstep nodes list --profile prod'],
  config: ['lockstep config show --origin'],
  metrics: ['lockstep metrics top --watch --range 1h'],
  open: ['lockstep open', 'lockstep open wfi_…'],
  keys: ['lockstep keys create ci --role operator --expires-in 90d', 'lockstep keys revoke key_…'],
  users: ['lockstep users create ana --role designer < password.txt', 'lockstep users sign-out user:ana'],
  secrets: [
    'lockstep secrets set stripe-key < key.txt',
    'lockstep secrets set stripe-key --host api.stripe.com < key.txt',
    'lockstep secrets list',
  ],
  audit: ['lockstep audit list --target wfi_… --since -2h'],
  samples: ['lockstep samples remove'],
  why: ['lockstep why wfi_…'],
  'verify-cluster': [
    'lockstep verify-cluster --url http://node-1:4400 --url http://node-2:4400',
    "lockstep verify-cluster --kill-command 'kubectl delete pod {name} --grace-period=0 --force'",
  ],
  retention: [
    'lockstep retention keep completed 30d --definition order',
    "lockstep retention hold --instance wfi_… --reason 'the auditors look at it'",
  ],
  migrate: [
    'lockstep migrate --status',
    'lockstep migrate --dry-run',
    'lockstep migrate --database-url postgres://…/lockstep',
  ],
  doctor: ['lockstep doctor', 'lockstep doctor --repair'],
  backup: ['lockstep backup lockstep.tar.gz'],
  restore: ['lockstep restore lockstep.tar.gz --data-dir .lockstep'],
  move: ['lockstep move --dry-run', 'lockstep move --database-url postgres://…/lockstep'],
  completion: ['source <(lockstep completion bash)'],
}

/** Before everything else that help says. A command without examples of its own shows those of its noun that begin with it. */
export function examplesText(words: string): string {
  const lines = examples[words] ?? all.filter((line) => `${line} `.startsWith(`lockstep ${words} `))
  return lines.length === 0 ? '' : `Examples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`
}

const all = Object.values(examples).flat()
