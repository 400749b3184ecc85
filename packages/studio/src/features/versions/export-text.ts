import { call } from '../../api/client.ts'
import { saveFile } from '../../browser/save-file.ts'

/** `source`: draft, published, or the number of a version. */
export async function exportTo(id: string, source: string, format: 'json' | 'yaml'): Promise<void> {
  const text = await call<string>('GET', `/workflow-definitions/${encodeURIComponent(id)}/export`, {
    query: { format, source },
    headers: { accept: format === 'json' ? 'application/json' : 'application/yaml' },
    as: 'text',
  })
  const version = /^\d+$/.test(source) ? `-v${source}` : ''
  saveFile(`${id}${version}.${format}`, `application/${format}`, text)
}
