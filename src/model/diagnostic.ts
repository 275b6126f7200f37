import type { Origin } from './server.ts'

export type Severity = 'error' | 'warn' | 'info'

/** Every code with its meaning. `docs/reference/diagnostics.md` is generated from this table. */
export const diagnosticCodes = {
  'parse-error': 'the text is not valid in its format',
  'unreadable-file': 'the file cannot be read: not a regular file, too large, not UTF-8, or no permission',
  'wrong-root-key': 'servers stand under a key the owner does not read',
  'ambiguous-root-key': 'a root key that different owners of the same file read differently',
  'bare-root': 'a bare map of servers without a root key',
  'wrong-type': 'a value has the wrong type',
  'value-coerced': 'a value was converted as the owner allows',
  'out-of-range': 'a value is outside its range',
  'missing-key': 'a required key is absent',
  'unknown-key': 'a key the owner does not know',
  'deprecated-key': 'an old key or variable',
  'invalid-name': 'a name the owner does not allow',
  'duplicate-key': 'the same key twice in one object; the last one counts',
  'forbidden-key': 'a key that would change an object instead of naming data',
  'missing-endpoint': 'neither command nor url',
  'command-and-url': 'both command and url',
  'duplicate-endpoint': 'two urls under different keys',
  'missing-type': 'no type where the owner wants one',
  'url-missing-type': 'a url without the type the owner needs to see a remote server at all',
  'inferred-transport': 'the transport was guessed in a way that differs between owners',
  'unknown-transport': 'a transport nobody knows',
  'unsupported-transport': 'a transport that we or the owner do not support',
  'deprecated-transport': 'the legacy HTTP+SSE transport',
  'missing-env': 'an environment variable is not set',
  'env-file-missing': 'an envFile does not exist',
  'needs-input': 'a value only a person can give',
  'secret-store': "a value from the owner's secret store",
  'reads-file': 'a value comes from a file',
  'runs-command': 'a value comes from a command',
  'unresolvable-scheme': 'a value comes from a scheme we cannot resolve',
  'no-expansion-in-client': 'a placeholder that the owner leaves as it is',
  'array-expands': 'one value becomes several',
  'plaintext-secret': 'a literal secret in the file',
  'embedded-token': 'live tokens are kept in the file',
  'insecure-url': 'plain http beyond loopback',
  'tls-verify-off': 'TLS checks are off',
  'auth-conflict': 'two ways to authenticate on one entry',
  'auto-approve-all': 'every tool is approved in advance',
  'no-approval': 'calls happen without asking',
  trust: 'confirmations are skipped',
  'unpinned-package': 'a package without an exact version',
  'relative-path': 'a command relative to nowhere',
  'timeout-disabled': 'a timeout of 0 means none',
  'timeout-ignored': 'a timeout the owner ignores',
  'timeout-unit-suspect': 'a timeout that looks like another unit',
  unit: 'units that differ inside one file',
  'tool-filter-conflict': 'a tool both allowed and denied',
  'no-tools': 'an empty allow-list',
  'denied-by-policy': "refused by the owner's policy",
  'untrusted-project': 'the owner wants approval first',
  'self-trust': 'a project file that tries to approve its own servers; ignored',
  shadowed: 'hidden by a declaration of higher rank',
  'merged-across-layers': 'joined from several layers',
  'managed-exclusive': 'a managed file switches all others off',
  'enable-override': "on or off by another file's list",
  'flag-conflict': 'enabled and disabled disagree; disabled wins',
  'imports-appended': 'default imports are added',
  'duplicate-location': 'two homes of the same client',
  'legacy-file': 'a file of an older version',
  'layout-v2': 'the nested layout',
  'key-dropped-by-owner': 'a key the owner drops',
  'credentials-dropped':
    'a higher layer changed the address, so the lower layer’s credentials do not carry over',
  'jsonc-in-json': 'comments in a file its owner may read strictly',
  'unsupported-in-client': 'a key the owner does not support',
  'no-builtin-mcp': 'files of an extension, not of the client itself',
  'not-launchable': 'an entry that runs only inside its owner',
  'multiple-choices': 'several ways to run',
  'version-range': 'a version that must be exact',
  'unsafe-archive': 'an archive with entries that leave its folder, links, or too much content',
  'unknown-source': 'a source id that does not exist',
  'settings-invalid': 'a setting that cannot be used',
  'unreadable-tools': 'a list of tools that cannot be read; it admits none',
  'only-denials': 'a list of tools that only denies, and so admits none',
  'idle-pattern': 'a pattern that matches no tool',
  'name-clash': 'two tools want one name; one of them has another',
  guarded: 'tools of a server that the read-only guard leaves out',
  'store-damaged': 'a file of ours that cannot be believed; nothing in it counts',
} as const satisfies Record<string, string>

export type DiagnosticCode = keyof typeof diagnosticCodes

/** A problem found, with its place and, where there is one, the next step. */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly severity: Severity
  readonly message: string
  readonly hint?: string
  readonly server?: string
  readonly origin?: Place
}

/** Where a diagnostic points: a place in a file, without the authority that a server's origin has. */
export type Place = Pick<Origin, 'file'> & Partial<Pick<Origin, 'pointer' | 'line' | 'column'>>
