import { existsSync } from 'node:fs'
import { join } from 'node:path'

// Which modules of src/ share a chunk of the bundled command line. Each chunk costs about a millisecond to load.

/** `start`: everything `plugboard list` needs, in one file, with the parameters of every command (`*.command.ts`). */
export const startModules = [
  'config/discover',
  'config/discover-options',
  'config/explain-server',
  'config/listing',
  'config/merge-readings',
  'config/own-directories',
  'config/read-tool-settings',
  'config/redact-text',
  'config/settings',
  'config/trust/portable-hash',
  'config/trust/trust-store',
  'config/values/check-values',
  'config/values/preview-values',
  'config/values/resolve-values',
  'config/values/value-sites',
  'config/waiting-servers',
  'config/world',
  'index',
  'model/canonical',
  'model/diagnostic',
  'model/error',
  'model/glob',
  'model/json',
  'model/near',
  'model/preset',
  'model/secret',
  'model/server',
  'platform/node/file-error',
  'platform/node/files',
  'platform/node/node-platform',
  'platform/platform',
  'platform/start-tag',
  'presets/default-preset',
  'presets/load-preset',
  'sources/clients/codex/codex',
  'sources/clients/codex/codex-layers',
  'sources/clients/load-source',
  'sources/clients/oauth-fields',
  'sources/clients/other-files',
  'sources/clients/other-transport',
  'sources/clients/plugboard/package-pins',
  'sources/clients/plugboard/plugboard',
  'sources/entries/check-literals',
  'sources/entries/client-dialect',
  'sources/entries/combine',
  'sources/entries/raw-entry',
  'sources/entries/read-endpoint',
  'sources/entries/read-entry',
  'sources/entries/read-timeout',
  'sources/entries/secret-names',
  'sources/entries/server-tables',
  'sources/entries/template',
  'sources/entries/to-server',
  'sources/entries/write-rules',
  'sources/formats/doc',
  'sources/formats/parse-text',
  'sources/formats/plain-json',
  'sources/formats/plain-toml',
  'sources/formats/toml',
  'sources/formats/toml-places',
  'sources/open-files',
  'sources/owner-places',
  'sources/place-builders',
  'sources/places',
  'sources/source',
  'surfaces/cli/app',
  'surfaces/cli/arguments/command-path',
  'surfaces/cli/arguments/define-command',
  'surfaces/cli/arguments/flags',
  'surfaces/cli/arguments/origin-flags',
  'surfaces/cli/arguments/positionals',
  'surfaces/cli/command-context',
  'surfaces/cli/commands/servers/list',
  'surfaces/cli/discover-servers',
  'surfaces/cli/errors',
  'surfaces/cli/exit-codes',
  'surfaces/cli/output/draw',
  'surfaces/cli/run-command-line',
  'surfaces/cli/signals',
  'surfaces/terminal/argv',
  'surfaces/terminal/quote-word',
  'surfaces/terminal/escape',
  'surfaces/terminal/style',
  'surfaces/terminal/table',
  'surfaces/terminal/terminal-output',
  'surfaces/terminal/width',
]

/**
 * `host`: what `tools` needs besides, with everything these import. Commands that connect also load it, and it has the
 * modules that both `connecting` and `edit` import.
 */
export const hostModules = [
  'config/server-in-force',
  'config/trust/env-file-trust',
  'config/trust/request-trust',
  'config/trust/trust-grants',
  'config/values/env-file',
  'config/values/keychain-values',
  'host/host',
  'host/host-tools',
  'host/server-caches',
  'surfaces/cli/commands/offers/find-offers',
  'surfaces/cli/commands/offers/find-tool',
  'surfaces/cli/commands/offers/search',
  'surfaces/cli/commands/offers/tools',
]

/** `connecting`: what `call` needs besides to start a program and call its tool, with everything these import. */
export const connectingModules = [
  'config/values/program-lookup',
  'config/values/server-resolver',
  'connections/link',
  'connections/open-process',
  'host/make-connection',
  'host/own-trail',
  'platform/node/processes',
  'platform/node/start-child',
  'surfaces/cli/commands/offers/call',
]

/** `scanner`: what scans the results of calls, with everything it imports. Loaded by the first text that is not short. */
export const scannerModules = ['scan/scan-result']

/** `shim`: what `plugboard gateway` needs to reach the gateway that runs already. */
export const shimModules = [
  'surfaces/gateway/desk/client-session',
  'surfaces/gateway/desk/common-variables',
  'surfaces/gateway/desk/control-lines',
  'surfaces/gateway/desk/desk-address',
  'surfaces/gateway/desk/desk-shim',
]

/** `serve`: what the page is answered with before the host is open, and what requests are checked with. */
export const serveModules = [
  'surfaces/cli/commands/serve',
  'surfaces/server/address-file',
  'surfaces/server/failure-printer',
  'surfaces/server/serve',
]

/** `edit`: adding, removing, switching, copying and trusting. */
export const editModules = [
  'config',
  'config/edit/bundle-folders',
  'config/edit/check-server',
  'config/edit/declarations',
  'config/edit/dry-run',
  'config/edit/edit-entry',
  'config/edit/edit-file',
  'config/edit/edit-settings',
  'config/edit/edit-source-file',
  'config/edit/edit-target',
  'config/edit/merge-entry',
  'config/edit/offered-servers',
  'config/edit/read-named-file',
  'config/edit/to-new-server',
  'config/edit/transfer',
  'config/edit/translate-server',
  'config/edit/translate-value',
  'config/edit/workbench',
  'config/server-in-force',
  'config/survey',
  'config/trust/request-trust',
  'config/trust/trust-grants',
]

/** Imported dynamically by one module and statically by another that is itself loaded on demand; not worth a warning. */
export const lateModules = [
  'config/private-file-edit',
  'config/trust/portable-hash',
  'config/values/env-file',
  'config/waiting-servers',
  'connections/link',
  'host/secrets/without-secrets',
  'surfaces/cli/commands/servers/list',
  'surfaces/server/address-file',
  'sources/clients/codex/codex',
  'sources/formats/toml',
  'host/check-options',
]

/** Whether a bundled module belongs to `start`. */
export function isStart(id) {
  return id.endsWith('.command.ts') || isOneOf(startModules, id)
}

/** Whether a bundled module is one of these. */
export function isOneOf(names, id) {
  return names.some((name) => id.endsWith(`/src/${name}.ts`))
}

/** Fails the build for a name that matches no module: a moved file would silently leave its chunk. */
export function checkModules(root, names) {
  const missing = names.filter((name) => !existsSync(join(root, 'src', `${name}.ts`)))
  if (missing.length > 0) throw new Error(`no such module in src/: ${missing.join(', ')}`)
}

/** The modules of src/ in the chunks that are named above, by chunk. */
export function modulesByChunk(root, output) {
  const src = join(root, 'src/')
  const chunks = output.filter(
    ({ type, name }) => type === 'chunk' && ['start', 'host', 'connecting', 'serve', 'edit'].includes(name),
  )
  return Object.fromEntries(
    chunks.map(({ name, moduleIds }) => [
      name,
      moduleIds
        .filter((id) => id.startsWith(src))
        .map((id) => id.slice(src.length))
        .sort(),
    ]),
  )
}
