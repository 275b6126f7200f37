import { isObject, valueAt } from '../../../model/json.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { isOpencodeType, opencodeForm, readOpencodeFolder } from '../opencode-form.ts'
import { tableAt, tablesOf, usableRoot } from '../../entries/server-tables.ts'
import type { OpenFile } from '../../source.ts'

/** D8–D13: `.dispatch/mcp.json`, or else the `mcp` key of `opencode.json`, in Dispatch's own form or in opencode's (C2). */
export const dispatch = createSource({
  id: 'dispatch',
  title: 'Dispatch',
  reads: 'unsure',
  roots: [['servers']],
  rules: {
    types: { http: 'http', stdio: 'stdio' },
    typeKeys: ['transport', 'type'],
    alsoTypes: opencodeForm.alsoTypes,
    untypedUrl: 'http',
    both: 'refuse',
    commandShape: opencodeForm.commandShape,
    keys: opencodeForm.keys,
    flag: 'either',
    timeouts: [
      opencodeForm.timeout,
      // Our own addition: neither document has a key for a server that takes long to start.
      { key: 'startupTimeout', unit: 'ms', sets: 'startupMs', zeroMeansNone: true },
    ],
    finish(entry, draft) {
      readFraming(entry, draft)
      readOpencodeFolder(entry, draft)
    },
  },
  values: { syntaxes: [], unset: 'keep' },
  merge: 'whole-file',
  shadowedAs: false,
  untrustedClaims: true,
  writes: (file) => ({
    root: () => [file.role === 'fallback' ? 'mcp' : 'servers'],
    usualFlag: isInOpencodeForm(file) ? 'enabled' : 'disabled',
  }),
  tables(files, _world, report) {
    const isAlone = files.every(({ role }) => role === 'fallback')
    return files.flatMap((file) => {
      const isFallback = file.role === 'fallback'
      const root = usableRoot(file, isFallback ? 'jsonc' : 'unsure', report)
      if (!root) return []
      if (isFallback && !isAlone) return tableAt(file, root, ['mcp'], report) ?? []
      const roots = [[isFallback ? 'mcp' : 'servers']]
      return tablesOf(file, root, { roots, otherRoots: 'no' }, report)
    })
  },
  settle({ files, report, hidden }) {
    const unused =
      files.some(({ role }) => role !== 'fallback') && files.find(({ role }) => role === 'fallback')
    if (!unused) return
    const about = report.diagnostics.filter(({ origin }) => origin?.file === unused.path)
    if (hidden.length === 0 && about.length === 0) return
    // Problems of an unused file are not reported.
    for (const each of about) report.diagnostics.splice(report.diagnostics.indexOf(each), 1)
    report.add(
      'shadowed',
      'warn',
      '.dispatch/mcp.json is present, so the mcp key of opencode.json is not used.',
      { file: unused },
    )
  },
})

/** Whether opencode itself uses this file: then it must find its own on/off key. */
function isInOpencodeForm({ doc }: OpenFile): boolean {
  const entries = valueAt(doc.value, ['mcp'])
  return isObject(entries) && Object.values(entries).some((entry) => isOpencodeType(valueAt(entry, ['type'])))
}

const framings = ['auto', 'ndjson', 'content-length'] as const

/** D30: our own key, for a server that understands only Content-Length framing. */
function readFraming(entry: Entry, draft: Draft): void {
  const value = entry.string('framing')
  const known = framings.find((each) => each === value)
  draft.framing = known
  if (value !== undefined && known === undefined) {
    const message = `"framing" must be one of ${framings.join(', ')}; "${value}" is ignored.`
    entry.warn('out-of-range', message, { key: 'framing' })
  }
}
