import { basename, dirname } from 'node:path'
import type { Server } from '../../../model/server.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { applyInputs } from '../editor-inputs.ts'
import { readOAuth, sameNames, writeOAuth } from '../oauth-fields.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import { socketAddress } from '../socket-address.ts'
import type { OpenFile } from '../../source.ts'
import { tablesOf, usableRoot } from '../../entries/server-tables.ts'
import type { ValueRules } from '../../entries/template.ts'
import type { WriteRules } from '../../entries/write-rules.ts'

/** Entries of `mcp.json` in VS Code and Visual Studio. */
export const editorRules: EntryRules = {
  types: { stdio: 'stdio', http: 'http+sse', sse: 'sse' },
  untypedUrl: 'http+sse',
  both: 'command',
  keys: { envFile: ['envFile'] },
  envCoerces: true,
  sseDeprecated: true,
  checkPins: true,
  // `gallery` and `version` are written by the marketplace.
  known: ['dev', 'gallery', 'version'],
  auth: (entry) => readOAuth(entry, 'oauth'),
  finish(entry, draft) {
    draft.sandbox = entry.boolean('sandboxEnabled')
    dropForeignKeys(entry, draft)
    readSocket(draft)
  },
}

export const editorValues: ValueRules = {
  syntaxes: ['env-colon', 'input', 'editor', 'editor-only'],
  unset: 'keep',
  literalPlaceholders: 'report',
}

/** The schema is closed: a login has only the client's id and whether an enterprise manages it. */
export const editorWrites: WriteRules = {
  auth: writeOAuth('oauth', { fields: sameNames('clientId', 'enterpriseManaged') }),
  boundKeys: ['oauth', 'sandboxEnabled'],
  inputsKey: 'inputs',
}

/** `.mcp.json` is the portable form: a url wins over a command, and servers run in the project's folder. */
const portableRules: EntryRules = {
  types: {
    stdio: 'stdio',
    local: 'stdio',
    http: 'http+sse',
    'streamable-http': 'http+sse',
    sse: 'sse',
  },
  untypedUrl: 'http+sse',
  both: 'url',
  keys: { cwd: null },
  sseDeprecated: true,
  checkPins: true,
  finish(_entry, draft) {
    if (draft.kind === 'stdio') draft.cwd = draft.folder ?? draft.file.root
  },
}

const portableValues: ValueRules = { syntaxes: ['braces'], unset: 'keep', literalPlaceholders: 'report' }

export const vscode = createSource({
  id: 'vscode',
  title: 'Visual Studio Code',
  switchesElsewhere: 'servers and tools',
  reads: 'jsonc',
  roots: [['servers']],
  rules: (file) => (isPortable(file.path) ? portableRules : editorRules),
  values: valuesOf,
  tables(files, _world, report) {
    return files.flatMap((file) => {
      const portable = isPortable(file.path)
      const root = usableRoot(file, portable ? 'strict' : 'jsonc', report)
      return root ? tablesOf(file, root, { roots: [[portable ? 'mcpServers' : 'servers']] }, report) : []
    })
  },
  settle(context) {
    applyInputs({ ...context, files: context.files.filter(({ path }) => !isPortable(path)) })
    reportSecondEdition(context)
  },
  writes: ({ path }) => (isPortable(path) ? { root: () => ['mcpServers'] } : editorWrites),
})

function isPortable(path: string): boolean {
  return basename(path) === '.mcp.json'
}

/** A project's file is in `.vscode`, whose parent is the workspace. */
function valuesOf({ origin, folder }: Server): ValueRules {
  if (isPortable(origin.file)) return { ...portableValues, tilde }
  return origin.scope === 'project'
    ? { ...editorValues, tilde, workspace: folder ?? dirname(dirname(origin.file)) }
    : { ...editorValues, tilde }
}

/** The fields in which `~` is expanded; not in `envFile`. */
const tilde = ['command', 'args', 'cwd'] as const

const remoteOnly = ['headers', 'oauth']
const processOnly = ['args', 'cwd', 'env', 'envFile', 'sandboxEnabled']

/** Drops the keys of the other transport, which the schema refuses. */
function dropForeignKeys(entry: Entry, draft: Draft): void {
  if (draft.kind === undefined || (entry.has('command') && entry.has('url'))) return
  for (const key of draft.kind === 'stdio' ? remoteOnly : processOnly) {
    if (!entry.has(key)) continue
    entry.warn('unknown-key', `"${key}" is not a key of a ${draft.kind} server; it is ignored.`, { key })
  }
  if (draft.kind === 'stdio') draft.auth = undefined
  else draft.env = draft.sandbox = undefined
}

function readSocket(draft: Draft): void {
  const address = socketAddress(draft.url ?? '')
  if (!address) return
  draft.socketPath = address.socketPath
  draft.fallback = undefined
}

/** Stable and Insiders have separate files. */
function reportSecondEdition({ files, report }: SettleContext): void {
  const users = files.filter(({ scope }) => scope === 'user')
  const second = users.find(isInsiders)
  if (!second || users.every(isInsiders)) return
  report.add(
    'duplicate-location',
    'info',
    'VS Code and VS Code Insiders both have a file; the first one wins.',
    {
      file: second,
    },
  )
}

function isInsiders({ path }: OpenFile): boolean {
  return path.split(/[\\/]/).includes('Code - Insiders')
}
