import { dirname } from 'node:path'
import { isObject } from '../../../model/json.ts'
import type { JsonObject } from '../../../model/json.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { dropOtherTransport } from '../other-transport.ts'
import type { OpenFile, Report } from '../../source.ts'
import { tableAt, usableRoot } from '../../entries/server-tables.ts'

const untyped = {
  code: 'missing-type',
  severity: 'error',
  message: '"type" is required: stdio, streamable-http or sse.',
} as const

/** Agent Plugins 1.0: `mcp.json` with a closed schema, beside the `plugin.json` that names the plugin. */
export const agentPlugins = createSource({
  id: 'agent-plugins',
  title: 'Agent Plugins',
  reads: 'strict',
  roots: [['mcpServers']],
  rules: {
    types: { stdio: 'stdio', 'streamable-http': 'http', sse: 'sse' },
    untypedUrl: 'refused',
    untypedUrlNote: untyped,
    untypedCommandNote: untyped,
    both: 'refuse',
    checkPins: true,
    finish,
  },
  values: (server) => ({
    syntaxes: ['plugin'],
    unset: 'keep',
    // The data folder is chosen by the client that installed the plugin.
    names: { PLUGIN_ROOT: dirname(server.origin.file), PLUGIN_DATA: undefined },
    fields: ['args', 'env', 'cwd'],
    relativeTo: dirname(server.origin.file),
    literalPlaceholders: 'report',
  }),
  tables(files, _world, report) {
    const roots = files.map((file) => ({ file, root: usableRoot(file, 'strict', report) }))
    const manifest = roots.find(({ file }) => file.role === 'manifest')?.root
    return roots.flatMap(({ file, root }) => {
      if (file.role === 'manifest' || !root || !isCurrent(file, root, report)) return []
      return tableAt({ ...file, scope: scopeOf(file, manifest) }, root, ['mcpServers'], report) ?? []
    })
  },
  writes: 'never',
})

function scopeOf(file: OpenFile, manifest: JsonObject | undefined): string {
  const name = manifest?.['name']
  return typeof name === 'string' && name !== '' ? `plugin:${name}` : file.scope
}

/** Refuses a file of an unknown version. A file without a version is read with a warning. */
function isCurrent(file: OpenFile, root: JsonObject, report: Report): boolean {
  const schema = root['$schema']
  if (schema === undefined) {
    report.add('missing-key', 'warn', '"$schema" is required; version 1.0.0 is assumed.', { file })
  } else if (typeof schema !== 'string' || !/\/schemas\/1\.\d+\.\d+\//.test(schema)) {
    report.add('out-of-range', 'error', 'Only version 1 of the format is supported.', {
      file,
      pointer: '/$schema',
    })
    return false
  }
  return true
}

const keysByTransport = { stdio: ['args', 'env', 'cwd'], remote: ['headers'] }

/** Each transport has a closed set of keys: any other key makes the entry invalid. */
function finish(entry: Entry, draft: Draft): void {
  const refuse = (key: string) =>
    entry.refuse('unknown-key', `"${key}" is not a key of this transport.`, { key })
  dropOtherTransport(entry, draft, keysByTransport, refuse)
  for (const key of entry.unreadKeys()) {
    entry.get(key)
    refuse(key)
  }
  if (draft.cwd !== undefined && !isInPlugin(draft.cwd)) {
    entry.refuse(
      'out-of-range',
      'cwd must be inside the plugin or its data: ./, ${PLUGIN_ROOT} or ${PLUGIN_DATA}.',
      {
        key: 'cwd',
      },
    )
  }
  const env = entry.get('env')
  for (const name of isObject(env) ? Object.keys(env) : []) {
    if (name !== 'PLUGIN_ROOT' && name !== 'PLUGIN_DATA') continue
    entry.refuse('unsupported-in-client', `${name} is set by the client that runs the plugin.`, {
      key: ['env', name],
    })
  }
  if (draft.url !== undefined && isInsecureUrl(draft.url)) {
    entry.refuse('insecure-url', 'Plain http is allowed only for this machine.', { key: 'url' })
  }
}

function isInPlugin(cwd: string): boolean {
  return /^(\.\/|\$\{PLUGIN_(ROOT|DATA)\}(\/|$))/.test(cwd) && !cwd.split('/').includes('..')
}

function isInsecureUrl(url: string): boolean {
  return /^http:\/\//i.test(url) && !/^http:\/\/(localhost|127(\.\d+){3}|\[::1\])([:/?#]|$)/i.test(url)
}
