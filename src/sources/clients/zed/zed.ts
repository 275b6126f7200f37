import { isObject, valueAt } from '../../../model/json.ts'
import type { Auth } from '../../../model/server.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { readOAuth, writeOAuth } from '../oauth-fields.ts'
import { reportLiteral } from '../../entries/check-literals.ts'
import { classifyLiteral } from '../../entries/literal-secrets.ts'

/** An entry has the first shape that fits: a command, a url, or settings for a server of an extension. */
export const zed = createSource({
  id: 'zed',
  title: 'Zed',
  reads: 'jsonc',
  roots: [['context_servers']],
  rules: {
    types: {},
    typeKeys: [],
    untypedUrl: 'http',
    both: 'command',
    keys: { cwd: null },
    readCommand: readOldCommand,
    flag: 'enabled',
    timeouts: [{ key: 'timeout', unit: 's', sets: 'callMs' }],
    known: ['remote', 'source', 'settings'],
    partial: true,
    checkPins: true,
    auth: readClient,
    finish: refuseExtensionServer,
  },
  values: { syntaxes: [], unset: 'keep', literalPlaceholders: 'report' },
  settle: applyDefaultTimeout,
  writes: {
    auth: writeOAuth('oauth', { fields: { clientId: 'client_id', clientSecret: 'client_secret' } }),
    boundKeys: ['oauth'],
  },
})

/** Until 2025 `command` was an object with the program, its arguments and its environment. */
function readOldCommand(entry: Entry, draft: Draft): boolean {
  const command = entry.get('command')
  if (!isObject(command)) return false
  entry.info('deprecated-key', 'A command object with path, args and env is the old form.', {
    key: 'command',
  })
  const inner = entry.entryUnder('command', command)
  const path = inner.string('path', 'error')
  const args = inner.strings('args', 'error')
  const env = inner.object('env', 'error')
  if (inner.refused) entry.refused = true
  else if (!path) entry.refuse('missing-endpoint', 'The command has no path.', { key: 'command' })
  draft.command = path
  if (args) draft.args = args
  if (env) draft.env = toTexts(inner, env)
  return true
}

function toTexts(inner: Entry, env: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const texts: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(env)) {
    if (typeof value !== 'string') {
      inner.warn('wrong-type', `"env.${name}" must be a string. It is ignored.`, { key: ['env', name] })
      continue
    }
    texts[name] = value
    checkText(inner, name, value, ['env', name])
  }
  return texts
}

function readClient(entry: Entry): Auth | undefined {
  const auth = readOAuth(entry, 'oauth')
  const secret = auth?.['clientSecret']
  if (typeof secret === 'string') checkText(entry, 'secret', secret, ['oauth', 'client_secret'])
  return auth
}

function checkText(entry: Entry, name: string, value: string, key: readonly string[]): void {
  const kind = classifyLiteral(name, value)
  if (kind) reportLiteral(entry, kind, { isLiteral: true }, key.join(' '), key)
}

function refuseExtensionServer(entry: Entry, draft: Draft): void {
  if (draft.kind !== undefined || entry.refused) return
  if (!entry.has('settings')) {
    entry.refuse('missing-endpoint', 'The entry is incomplete: neither command nor url.', {
      hint: 'Add a "command" to run or a "url" to connect to.',
    })
    return
  }
  entry.info('not-launchable', 'This server belongs to an extension; only the extension can start it.')
  entry.refused = true // the entry is valid, but it cannot run here
}

/** `context_server_timeout` of the nearest file applies to every server without its own timeout. */
function applyDefaultTimeout({ drafts, files, report }: SettleContext): void {
  const file = files.find(({ doc }) => valueAt(doc.value, ['context_server_timeout']) !== undefined)
  if (!file) return
  const seconds = valueAt(file.doc.value, ['context_server_timeout'])
  const pointer = '/context_server_timeout'
  if (typeof seconds !== 'number' || seconds < 0) {
    report.add('wrong-type', 'warn', 'context_server_timeout must be a number of seconds. It is ignored.', {
      file,
      pointer,
    })
    return
  }
  if (seconds >= 1000) {
    const message = `context_server_timeout is in seconds; ${seconds} looks like milliseconds.`
    report.add('timeout-unit-suspect', 'warn', message, { file, pointer })
  }
  for (const draft of drafts) {
    draft.timeouts = { callMs: Math.round(seconds * 1000), ...draft.timeouts }
  }
}
