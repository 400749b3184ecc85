/** Statements over whatever tables a schema has: names come from its catalogue, quoted by the server. */
import { type Statement, statement } from '@lockstep/postgres'

export interface TableRow {
  readonly name: string
  /** As the server quotes it. */
  readonly quoted: string
  /** Without those that are computed. */
  readonly columns: readonly { readonly quoted: string; readonly type: string }[]
  /** Tables that its rows refer to. */
  readonly needs: readonly string[]
}

/** Every table of the schema but the list of migrations. Reads the catalogue only. */
export const listTables = statement<{ schema: string }, TableRow>(
  'transfer_list_tables',
  (p) => [p.schema],
  `select c.relname as name, quote_ident(c.relname) as quoted,
          (select json_agg(json_build_object('quoted', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
             from pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
          coalesce((select json_agg(distinct f.relname) from pg_constraint k join pg_class f on f.oid = k.confrelid
                     where k.conrelid = c.oid and k.contype = 'f' and f.oid <> c.oid), '[]') as needs
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relkind = 'r' and c.relname <> 'migration'
    order by c.relname`,
  { readOnly: true },
)

export const listSequences = statement<{ schema: string }, { quoted: string; last: string }>(
  'transfer_list_sequences',
  (p) => [p.schema],
  `select quote_ident(sequencename) as quoted, last_value::text as last
     from pg_sequences where schemaname = $1 and last_value is not null order by sequencename`,
  { readOnly: true },
)

/** Moves a sequence on; it never goes back. */
export const advanceSequence = statement<{ quoted: string; last: string }>(
  'transfer_advance_sequence',
  (p) => [p.quoted, p.last],
  `select setval($1::text::regclass, $2::bigint)`,
)

/** Takes a number of its own, as every writing transaction does. */
export const transactionNumber = statement<undefined, { xid: string }>(
  'transfer_transaction_number',
  () => [],
  `select pg_current_xact_id()::text as xid`,
)

/** Both sides write values as the same text. Lasts until the transaction ends. */
export const PLAIN_TEXT = `
  set local timezone = 'UTC';
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres';
  set local bytea_output = 'hex';
  set local extra_float_digits = 1`

/** All values of a row as text, in the order of its columns: every type reads what it writes. */
const rowText = ({ columns }: TableRow): string =>
  `json_build_array(${columns.map(({ quoted }) => `t.${quoted}::text`).join(', ')})::text`

export const openCursor = (table: TableRow): string =>
  `declare transfer_rows no scroll cursor for select ${rowText(table)} as row from ${table.quoted} t`

export const CLOSE_CURSOR = 'close transfer_rows'

export const fetchRows = ({ name }: TableRow, count: number): Statement<undefined, { row: string }> =>
  statement(`transfer_fetch_${count}_${name}`.slice(0, 63), () => [], `fetch ${count} from transfer_rows`)

/** Takes a JSON list of rows as `openCursor` writes them. */
export const insertRows = ({ name, quoted, columns }: TableRow): Statement<{ rows: string }, never> =>
  statement(
    `transfer_insert_${name}`.slice(0, 63),
    (p) => [p.rows],
    `insert into ${quoted} (${columns.map((each) => each.quoted).join(', ')}) overriding system value
     select ${columns.map(({ type }, at) => `(r ->> ${at})::${type}`).join(', ')} from json_array_elements($1::json) r`,
  )

/** Count and a sum over all rows that does not depend on their order. */
export const checksum = (table: TableRow): Statement<undefined, { count: string; sum: string }> =>
  statement(
    `transfer_checksum_${table.name}`.slice(0, 63),
    () => [],
    `select count(*)::text as count,
            coalesce(sum(('x' || substr(md5(${rowText(table)}), 1, 15))::bit(60)::bigint::numeric), 0)::text as sum
       from ${table.quoted} t`,
    { readOnly: true },
  )

export const hasRows = ({ name, quoted }: TableRow): Statement<undefined, { found: boolean }> =>
  statement(`transfer_has_rows_${name}`.slice(0, 63), () => [], `select exists (select from ${quoted}) as found`, {
    readOnly: true,
  })

export const triggers = ({ quoted }: TableRow, what: 'enable' | 'disable'): string =>
  `alter table ${quoted} ${what} trigger user`

/** Uses up transaction numbers: each inner block writes, hence takes one, and is undone. */
export const burnNumbers = (count: number): string => `
  create temporary table transfer_burn (n int4) on commit drop;
  do $$ begin
    for i in 1..${count} loop
      begin
        insert into pg_temp.transfer_burn values (i);
        raise exception using errcode = 'LS099';
      exception when sqlstate 'LS099' then null;
      end;
    end loop;
  end $$`

/** Nodes of the old store are gone: their claims become free, as after a burial. */
export const BURY_ALL = 'delete from node'
