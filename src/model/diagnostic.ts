import type { Origin } from './server.ts'

export type Severity = 'error' | 'warn' | 'info'

/** Every code with its meaning. `docs/reference/diagnostics.md` is generated from this table. */
export const diagnosticCodes = {
  'parse-error': 'the text is not valid in its format',
  'unreadable-file':
    'the file cannot be read: it is not a regular file, too large or not UTF-8, or there is no permission',
  'wrong-root-key': 'servers are under a root key that the client does not read',
  'ambiguous-root-key': 'a root key that has different meanings for clients that share the file',
  'bare-root': 'a map of servers without a root key',
  'wrong-type': 'a value has the wrong type',
  'value-coerced': 'a value was converted, as the client does too',
  'out-of-range': 'a value is outside its range',
  'missing-key': 'a required key is missing',
  'unknown-key': 'a key that the client does not know',
  'deprecated-key': 'a deprecated key or variable',
  'invalid-name': 'a name that the client does not allow',
  'duplicate-key': 'the same key twice in one object; the last one is used',
  'forbidden-key': 'a key such as `__proto__`, which could change the prototype of an object; it is ignored',
  'missing-endpoint': 'neither a command nor a url',
  'command-and-url': 'both a command and a url',
  'duplicate-endpoint': 'two urls under different keys',
  'missing-type': 'a type is missing that the client requires',
  'url-missing-type': 'a url without a type, which the client would treat as a command',
  'inferred-transport': 'the transport was inferred, and clients infer it differently',
  'unknown-transport': 'an unknown transport',
  'unsupported-transport': 'a transport that Plugboard or the client does not support',
  'deprecated-transport': 'the legacy HTTP+SSE transport',
  'missing-env': 'an environment variable is not set',
  'env-file-missing': 'an envFile does not exist',
  'env-file-ignored':
    'an envFile sets a variable that decides what programs load or run, and the entry does not list it; it is ignored',
  'needs-input': 'a value that a person must enter',
  'secret-store': "a value comes from the client's secret store",
  'reads-file': 'a value comes from a file',
  'runs-command': 'a value comes from a command',
  'unresolvable-scheme': 'a value uses a scheme that cannot be resolved here',
  'no-expansion-in-client': 'a placeholder that the client does not expand',
  'array-expands': 'one value expands to several',
  'plaintext-secret': 'a literal secret in the file',
  'embedded-token': 'the file contains live tokens',
  'invalid-url': 'a url that is not a URL, or whose scheme the client does not accept',
  'insecure-url': 'plain http beyond loopback',
  'tls-verify-off': 'TLS verification is off',
  'auth-conflict': 'two ways to authenticate in one entry',
  'auto-approve-all': 'every tool is approved in advance',
  'no-approval': 'tools are called without asking',
  trust: 'confirmations are skipped',
  'unpinned-package': 'a package without an exact version',
  'relative-path': 'a relative command without a working directory',
  'timeout-disabled': 'a timeout of 0 means none',
  'timeout-ignored': 'a timeout that the client ignores',
  'timeout-unit-suspect': 'a timeout that seems to be in another unit',
  unit: 'timeouts in different units in one file',
  'tool-filter-conflict': 'a tool both allowed and denied',
  'no-tools': 'an empty list of allowed tools',
  'denied-by-policy': "denied by the client's policy",
  'untrusted-project': 'the client asks for approval first',
  'runner-invalid': 'a `runner` that cannot be applied as written',
  'self-trust': 'a project file that tries to approve its own servers; ignored',
  'waits-for-trust':
    'an entry of the project that is not trusted yet; another declaration of its name is in force',
  'own-gateway':
    'an entry that starts Plugboard itself as a gateway; it is never loaded, as the gateway would be a server of itself',
  shadowed: 'hidden by a declaration of the same name with a higher rank',
  'merged-across-layers': 'merged from several layers',
  'managed-exclusive': 'a managed file disables all others',
  'enable-override': 'enabled or disabled by a list in another file',
  'flag-conflict': 'enabled and disabled disagree; disabled wins',
  'imports-appended': 'default imports are added to the listed ones',
  'duplicate-location': 'the same client has files in two places',
  'legacy-file': 'a file of an older version',
  'layout-v2': 'the nested layout',
  'key-dropped-by-owner': 'a key that the client drops',
  'credentials-dropped': 'a higher layer changed the address, so the lower layer’s credentials are not used',
  'jsonc-in-json': 'comments in a file that its client may read as strict JSON',
  'unsupported-in-client': 'a key or value that the client does not support',
  'no-builtin-mcp': 'the files are read by an extension, not by the client itself',
  'not-launchable': 'an entry that runs only inside its client',
  'multiple-choices': 'there are several ways to run the server',
  'host-access': 'a container that may reach the machine it runs on',
  'unknown-runner': 'a package that another program than a known package runner runs',
  'version-range': 'a range where an exact version is required',
  'unsafe-archive': 'an archive with paths outside its folder, links, or too much content',
  'lock-broken':
    'a lock file that cannot be used; everything of the servers that the project declares is held',
  'unknown-source': 'a source id that does not exist',
  'view-clash':
    'a view has the name of a stateful server, whose own address that is; the view is not offered',
  'settings-invalid': 'a setting that cannot be used',
  'unreadable-tools': 'a list of tools that cannot be read; it allows none',
  'hidden-characters': 'a prompt contains invisible characters; they are removed',
  'only-denials': 'a list of tools with only denials; it allows none',
  'idle-pattern': 'a pattern that matches no tool',
  'address-clash':
    'two servers list a resource of the same address; it belongs to the one that listed it first',
  'name-clash': 'two tools have the same name; one of them gets another',
  'skill-unusable': 'a skill whose entry is invalid, too large or ambiguous; it is left out',
  guarded: 'tools that the read-only guard does not offer',
  'directory-in-project': 'a variable leads our own directories into the project; it is not used',
  'store-damaged': 'a file of Plugboard is damaged; nothing in it is used',
  'readable-by-others': 'other users could read a private file of Plugboard; it was made private',
  'store-without-driver': 'conversations are not kept: there is no driver for the file that keeps them',
  'offer-held': 'a definition is held until a person has reviewed it; no model gets it',
} as const satisfies Record<string, string>

export type DiagnosticCode = keyof typeof diagnosticCodes

/** A problem in the configuration, with its place and, if there is one, the next step. */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly severity: Severity
  readonly message: string
  readonly hint?: string
  readonly server?: string
  readonly origin?: Place
  /** The key that was probably meant instead of the one at `origin`. */
  readonly meant?: string
}

/** The place of a diagnostic in a file; unlike a server's origin it has no authority. */
export type Place = Pick<Origin, 'file'> & Partial<Pick<Origin, 'pointer' | 'line' | 'column'>>
