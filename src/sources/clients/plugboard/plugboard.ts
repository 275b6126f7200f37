import { isObject } from '../../../model/json.ts'
import { readRunner } from '../../../model/runner/runner.ts'
import type { Runner } from '../../../model/runner/runner.ts'
import type { Auth } from '../../../model/server.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { withoutAbsent } from '../oauth-fields.ts'
import { unpinnedArgument } from './package-pins.ts'
import { plugboardKeys } from './plugboard-keys.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import { socketAddress } from '../socket-address.ts'
import type { OpenFile } from '../../source.ts'
import { tablesOf, usableRoot } from '../../entries/server-tables.ts'
import type { RootRules, Table } from '../../entries/server-tables.ts'
import type { ValueRules } from '../../entries/template.ts'

const values: ValueRules = {
  syntaxes: ['braces', 'env-colon', 'opencode', 'input', 'keychain', 'bang', 'editor'],
  unset: 'keep',
  needsVariables: true,
  tilde: true,
}

const urlKeys = ['url', 'serverUrl', 'httpUrl']

/** Our own dialect is tolerant: entries pasted from other clients work. */
export const plugboardRules: EntryRules = {
  types: {
    stdio: 'stdio',
    local: 'stdio',
    http: 'http+sse',
    'streamable-http': 'http+sse',
    streamableHttp: 'http+sse',
    streamable_http: 'http+sse',
    remote: 'http+sse',
    sse: 'sse',
    ws: 'refused',
    websocket: 'refused',
  },
  typeKeys: ['type', 'transport'],
  untypedUrl: 'http+sse',
  both: 'refuse',
  commandShape: 'either',
  keys: { env: ['env', 'environment'], url: urlKeys, envFile: ['envFile'] },
  flag: 'either',
  failsClosed: true,
  envCoerces: true,
  timeouts: [
    { key: 'timeout', unit: 'ms', sets: 'callMs', zeroMeansNone: true },
    { key: 'startupTimeout', unit: 'ms', sets: 'startupMs', zeroMeansNone: true },
    { key: 'startupTimeoutMs', unit: 'ms', sets: 'startupMs', zeroMeansNone: true },
    { key: 'idleStopMs', unit: 'ms', sets: 'idleMs', zeroMeansNone: true },
  ],
  allowKey: 'allowedTools',
  denyKey: 'deniedTools',
  filterConflict: true,
  titleKey: 'title',
  descriptionKey: 'description',
  sseDeprecated: true,
  suggests: Object.keys(plugboardKeys),
  auth: readAuth,
  finish(entry, draft) {
    draft.lifecycle = oneOf(entry, 'lifecycle', ['lazy', 'background', 'eager'])
    draft.restart = oneOf(entry, 'restart', ['backoff', 'never'])
    draft.protocol = oneOf(entry, 'protocol', ['auto', 'legacy', '2026-07-28'])
    draft.framing = oneOf(entry, 'framing', ['auto', 'ndjson', 'content-length'])
    draft.runner = readRunnerOf(entry, draft)
    draft.stateful = entry.boolean('stateful')
    draft.inheritEnv = entry.boolean('inheritEnv')
    draft.passEnv = entry.strings('passEnv')
    const caFile = entry.string('caFile')
    if (caFile !== undefined) draft.tls = { caFile }
    const helper = entry.string('headersCommand')
    if (helper !== undefined) {
      draft.headersCommand = helper
      entry.warn('runs-command', 'headersCommand runs a command to build headers.', { key: 'headersCommand' })
    }
    draft.socketPath = socketAddress(draft.url ?? '')?.socketPath
    refuseSelfTrust(entry)
    checkAddress(entry, draft)
    checkHeaders(entry, draft)
    checkPackage(entry, draft)
  },
}

const rootRules: RootRules = {
  roots: [['mcpServers'], ['servers'], ['mcp']],
  bare: { message: 'A map of servers without "mcpServers".' },
}

export const plugboard = createSource({
  id: 'plugboard',
  title: 'Plugboard',
  reads: 'jsonc',
  ...rootRules,
  rules: plugboardRules,
  values,
  tables(files, _world, report) {
    const tables: Table[] = []
    for (const file of files) {
      const root = usableRoot(file, 'jsonc', report)
      if (!root) continue
      tables.push(...tablesOf(file, root, rootRules, report))
      // D-16: an exclusive managed file excludes the files below it.
      if (!isExclusive(file)) continue
      report.add(
        'managed-exclusive',
        'warn',
        'This managed file is exclusive: files below it are not read.',
        { file },
      )
      break
    }
    return tables
  },
  endsSearch: (files) => files.some(isExclusive),
  writes: {
    keepsEntries: true,
    auth: (auth) => ({ auth: withoutAbsent(auth) }),
    boundKeys: ['auth', 'caFile', 'headersCommand', 'passEnv'],
  },
})

function isExclusive({ scope, doc }: OpenFile): boolean {
  if (scope !== 'managed' || doc.errors.length > 0) return false
  return isObject(doc.value) && doc.value['exclusive'] === true
}

function readAuth(entry: Entry): Auth | undefined {
  const auth = entry.get('auth')
  if (auth === undefined) return undefined
  if (typeof auth === 'string') return { type: auth }
  if (isObject(auth) && typeof auth['type'] === 'string') return { ...auth, type: auth['type'] }
  entry.warn('wrong-type', '"auth" must be an object with a "type".', { key: 'auth' })
  return undefined
}

/** A box that cannot be made as written makes the entry unusable: the server would run without it. */
function readRunnerOf(entry: Entry, { kind }: Draft): Runner | undefined {
  // Elsewhere null counts as absent; here the server would start without the box that the line seems to ask for.
  const value = entry.get('runner') ?? (entry.value['runner'] === null ? null : undefined)
  if (value === undefined) return undefined
  if (kind !== 'stdio') {
    entry.warn('runner-invalid', 'A remote server runs elsewhere: "runner" is ignored.', { key: 'runner' })
    return undefined
  }
  const runner = readRunner(value)
  if (!('problem' in runner)) return runner
  const { problem, key } = runner
  entry.refuse('runner-invalid', problem, { key: key === undefined ? 'runner' : ['runner', key] })
  return undefined
}

function oneOf<T extends string>(entry: Entry, key: string, allowed: readonly T[]): T | undefined {
  const value = entry.string(key)
  if (value === undefined) return undefined
  const found = allowed.find((word) => word === value)
  if (found === undefined) {
    entry.warn('out-of-range', `"${key}" must be one of ${allowed.join(', ')}; "${value}" is ignored.`, {
      key,
    })
  }
  return found
}

/** T01: a project file cannot approve itself. */
function refuseSelfTrust(entry: Entry): void {
  for (const key of ['trust', 'trusted', 'approved', 'autoApprove', 'alwaysAllow']) {
    if (entry.has(key) && entry.file.authority === 'project') {
      entry.warn('self-trust', `"${key}" in a project file is ignored: only a person can trust a server.`, {
        key,
      })
    }
  }
}

function checkAddress(entry: Entry, { kind, url }: Draft): void {
  const scheme = /^([a-z][a-z\d+.-]*):\/\//i.exec(url ?? '')?.[1]?.toLowerCase()
  if (kind !== undefined && scheme !== undefined && !['http', 'https', 'unix'].includes(scheme)) {
    const key = entry.firstOf(urlKeys) ?? 'url'
    entry.refuse('unsupported-transport', `A url must start with https, http or unix, not ${scheme}.`, {
      key,
    })
  }
  if (url === undefined || scheme !== 'http') return
  if (/^http:\/\/(localhost|127\.|\[::1\])/i.test(url)) return
  entry.warn('insecure-url', 'Plain http: anyone on the network path can read and change this traffic.', {
    key: 'url',
  })
}

/** Refuses line breaks, which would start another header. The output of a command is checked after it ran. */
function checkHeaders(entry: Entry, { headers = {} }: Draft): void {
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || value.startsWith('!') || !/[\r\n]/.test(value)) continue
    entry.refuse('wrong-type', `"headers.${name}" must be one line.`, { key: ['headers', name] })
  }
}

function checkPackage(entry: Entry, { command = '', args = [] }: Draft): void {
  const index = unpinnedArgument(command, args)
  if (index === undefined) return
  const list = entry.get('command')
  const key = Array.isArray(list) ? ['command', index + 1] : ['args', index]
  entry.info('unpinned-package', `${args[index]} is always the latest version.`, {
    key,
    hint: 'Pin an exact version.',
  })
}
