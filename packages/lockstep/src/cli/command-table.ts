/** Every command with the file that holds it. A file is only read when its command is wanted: most runs want one. */
import type { Command } from 'commander'
import type { Terminal } from './terminal/terminal.ts'

export interface CommandEntry {
  readonly name: string
  /** Other words for it: nouns may be written in the singular. */
  readonly aliases?: readonly string[]
  load(terminal: Terminal): Promise<Command>
}

/** In the order of the help. */
export const commandTable: readonly CommandEntry[] = [
  { name: 'init', load: async (t) => (await import('./init.ts')).initCommand(t) },
  { name: 'server', load: async () => (await import('./server.ts')).serverCommand() },
  { name: 'dev', load: async () => (await import('./server.ts')).devCommand() },
  { name: 'samples', load: async (t) => (await import('./samples.ts')).samplesCommand(t) },
  { name: 'validate', load: async (t) => (await import('./validate.ts')).validateCommand(t) },
  {
    name: 'definitions',
    // The first one stands in the help, and is what a slip of the pen is compared with.
    aliases: ['workflow', 'workflows', 'definition'],
    load: async (t) => (await import('./definitions.ts')).definitionsCommand(t),
  },
  {
    name: 'instances',
    aliases: ['instance'],
    load: async (t) => (await import('./instances.ts')).instancesCommand(t),
  },
  { name: 'schedules', aliases: ['schedule'], load: async (t) => (await import('./schedules.ts')).schedulesCommand(t) },
  { name: 'queues', aliases: ['queue'], load: async (t) => (await import('./queues.ts')).queuesCommand(t) },
  { name: 'tasks', aliases: ['task'], load: async (t) => (await import('./tasks.ts')).tasksCommand(t) },
  {
    name: 'human-tasks',
    aliases: ['human-task'],
    load: async (t) => (await import('./tasks.ts')).humanTasksCommand(t),
  },
  { name: 'events', aliases: ['event'], load: async (t) => (await import('./events.ts')).eventsCommand(t) },
  { name: 'incidents', aliases: ['incident'], load: async (t) => (await import('./incidents.ts')).incidentsCommand(t) },
  {
    name: 'dead-letters',
    aliases: ['dead-letter'],
    load: async (t) => (await import('./dead-letters.ts')).deadLettersCommand(t),
  },
  { name: 'batches', aliases: ['batch'], load: async (t) => (await import('./batches.ts')).batchesCommand(t) },
  { name: 'flow', load: async (t) => (await import('./flow.ts')).flowCommand(t) },
  { name: 'limits', aliases: ['limit'], load: async (t) => (await import('./limits.ts')).limitsCommand(t) },
  { name: 'caches', aliases: ['cache'], load: async (t) => (await import('./caches.ts')).cachesCommand(t) },
  { name: 'breakers', aliases: ['breaker'], load: async (t) => (await import('./breakers.ts')).breakersCommand(t) },
  { name: 'locks', aliases: ['lock'], load: async (t) => (await import('./locks.ts')).locksCommand(t) },
  { name: 'nodes', aliases: ['node'], load: async (t) => (await import('./nodes.ts')).nodesCommand(t) },
  { name: 'cluster', load: async (t) => (await import('./cluster.ts')).clusterCommand(t) },
  { name: 'metrics', load: async (t) => (await import('./metrics.ts')).metricsCommand(t) },
  { name: 'open', load: async (t) => (await import('./open.ts')).openCommand(t) },
  { name: 'auth', load: async (t) => (await import('./auth.ts')).authCommand(t) },
  { name: 'config', load: async (t) => (await import('./config.ts')).configCommand(t) },
  { name: 'keys', aliases: ['key'], load: async (t) => (await import('./keys.ts')).keysCommand(t) },
  { name: 'users', aliases: ['user'], load: async (t) => (await import('./users.ts')).usersCommand(t) },
  { name: 'secrets', aliases: ['secret'], load: async (t) => (await import('./secrets.ts')).secretsCommand(t) },
  { name: 'audit', load: async (t) => (await import('./audit.ts')).auditCommand(t) },
  { name: 'verify-cluster', load: async (t) => (await import('./verify-cluster.ts')).verifyClusterCommand(t) },
  { name: 'why', load: async (t) => (await import('./why.ts')).whyCommand(t) },
  { name: 'doctor', load: async (t) => (await import('./doctor.ts')).doctorCommand(t) },
  { name: 'retention', load: async (t) => (await import('./retention.ts')).retentionCommand(t) },
  { name: 'migrate', load: async (t) => (await import('./migrate.ts')).migrateCommand(t) },
  { name: 'backup', load: async (t) => (await import('./backup.ts')).backupCommand(t) },
  { name: 'restore', load: async (t) => (await import('./backup.ts')).restoreCommand(t) },
  { name: 'move', load: async (t) => (await import('./move.ts')).moveCommand(t) },
  {
    name: 'completion',
    load: async (t) => (await import('./completion.ts')).completionCommand(t, () => loadCommands(commandTable, t)),
  },
]

/** What `word` names. */
export const commandNamed = (word: string): CommandEntry | undefined =>
  commandTable.find(({ name, aliases = [] }) => name === word || aliases.includes(word))

export async function loadCommands(entries: readonly CommandEntry[], terminal: Terminal): Promise<readonly Command[]> {
  return Promise.all(entries.map(async (entry) => (await entry.load(terminal)).aliases(entry.aliases ?? [])))
}
