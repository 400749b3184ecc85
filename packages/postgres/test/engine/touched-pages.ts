import type { Db, Given, Statement } from '../../src/index.ts'

/** How many pages of 8 kB a statement looks at. */
export async function touchedPages<P>(db: Db, { name, text, bind }: Statement<P, unknown>, params: P): Promise<number> {
  const explained: Statement<P, { 'QUERY PLAN': readonly { readonly Plan: Readonly<Record<string, number>> }[] }> = {
    ...{ name: `explain_${name}`, readOnly: true, bind },
    text: `explain (analyze, buffers, format json) ${text}`,
  }
  const { Plan: plan } = (await db.lane('api').one(explained, ...([params] as unknown as Given<P>)))['QUERY PLAN'][0]!
  return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!
}
