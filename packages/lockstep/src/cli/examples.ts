/** What help begins with, by the words of the command: what people want of it most. A test holds them against the commands that there are. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  '': [
    'lockstep init hello && cd hello && lockstep server',
    'lockstep definitions push workflows/hello.yaml --publish',
    `lockstep instances start hello --input '{"name":"you"}' --wait`,
    "lockstep instances list --filter 'status=faulted createdAt>=-1h'",
    'lockstep why wfi_…',
  ],
  server: ['lockstep server --port 4400', 'lockstep server --host 0.0.0.0 --database-url postgres://…/lockstep'],
  dev: ['lockstep dev', 'lockstep dev --port 0 --samples off'],
  validate: ['lockstep validate workflows/*.yaml', 'lockstep validate - --json < order.json'],
  definitions: [
    'lockstep definitions push order.yaml --publish',
    'lockstep definitions list --tag eu --sort -updatedAt',
    'lockstep definitions diff order published draft',
    'lockstep definitions rollback order',
  ],
  'definitions list': ['lockstep definitions list --search approval', 'lockstep definitions list --tag eu,us -o id'],
  instances: [
    'lockstep instances start order --input @order.json --wait',
    "lockstep instances list --filter 'status=faulted tag=eu createdAt>=-1d'",
    'lockstep instances watch wfi_…',
    'lockstep instances retry wfi_…',
  ],
  'instances list': [
    "lockstep instances list --filter 'status=faulted,suspended definition=order'",
    'lockstep instances list --search customer-42',
    "lockstep instances list --filter 'input.customerId=42' --sort createdAt --all -o jsonl",
  ],
  'instances start': [
    `lockstep instances start order --input '{"amount":99}' --correlation order-42`,
    'lockstep instances start order --input @order.json --wait',
  ],
  schedules: ['lockstep schedules list', 'lockstep schedules next nightly', 'lockstep schedules pause nightly'],
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
  events: [`lockstep events publish approved --correlation order-42 --payload '{"by":"Ada"}'`],
  locks: ['lockstep locks list', "lockstep locks release nightly --reason 'its holder is gone' --yes"],
  cluster: ['lockstep cluster status', 'lockstep cluster drain node-2', 'lockstep cluster dev --nodes 3'],
  auth: ['lockstep auth login prod --url https://flow.example.com', 'lockstep nodes list --profile prod'],
  doctor: ['lockstep doctor', 'lockstep doctor --repair'],
  backup: ['lockstep backup lockstep.tar.gz'],
}

/** Before everything else that help says. */
export function examplesText(words: string): string {
  const lines = examples[words]
  return lines === undefined ? '' : `Examples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`
}
