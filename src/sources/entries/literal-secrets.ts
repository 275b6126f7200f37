/** What a literal text is: a secret, an example that a person has to replace, or neither. */
export type LiteralKind = 'secret' | 'example'

const placeholder = /\$\{?[A-Za-z_{(]|\$env:|^!|\{env:|\{file:|%[A-Za-z_]+%|^\{[^}]*\}$/
/** `Authorization` values begin with the scheme. */
const scheme = /^(?:bearer|basic|token|api-?key|key)\s+/i

const maxText = 4096

/** What the value of a variable, header, option or parameter of this name is. */
export function classifyLiteral(name: string, value: string): LiteralKind | undefined {
  // The beginning tells what it is, whatever its length.
  const text = value.slice(0, maxText).trim()
  if (text === '' || placeholder.test(text)) return undefined
  const password = passwordIn(text)
  if (password !== undefined) return classifyPassword(password)
  const plain = text.replace(scheme, '')
  if (tokenForm.test(plain)) return isExample(plain) ? 'example' : 'secret'
  if (!namesSecret(name, plain) || isHarmless(plain)) return undefined
  return isExample(plain) ? 'example' : 'secret'
}

/** Forms of tokens that providers document. */
const tokenForm =
  /^(?:AKIA[0-9A-Z]{16}|gh[pousr]_\w{16,}|github_pat_\w{16,}|sk-[\w-]{16,}|sk_(?:live|test)_\w{12,}|xox[abeprs]-[\w-]{10,}|hf_\w{16,}|glpat-[\w-]{12,}|npm_\w{20,}|pat[\w-]{10,}\.[\w-]{20,}|AIza[\w-]{30,}|SG\.[\w-]{16,}\.[\w-]{16,}|secret_\w{24,}|ntn_\w{24,}|lin_api_\w{20,}|tvly-[\w-]{12,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)$/

const secretName =
  /authorization|token(?!s\b|s_|izer)|secret|passw|api[-_]?key|access[-_]?key|private[-_]?key|credential/i
/** A name that ends so tells about a secret, or where it is. */
const describesSecret =
  /(?:file|path|dir|directory|folder|env|var|variable|name|url|uri|endpoint|host|type|kind|store|stdin|id|ids|header|prefix|suffix|scheme|method|mode|format|length|size|limit|budget|count|max|min|ttl|expiry|expires(?:[-_]?in)?|lifetime|timeout|age|scopes?|provider|source|manager|required|enabled|disabled|cache|region|version|algorithm|alg|audience|issuer|rotation|policy|usage)$/i

/** `pass`, `pwd` and `pat` as the last word of a name. */
const shortName = /(?:^|[_-])(?:pass|pwd|pat)$/i
/** `key` and `auth` name a secret only if the value is random: there are sort keys and kinds of authentication. */
const weakName = /(?:^|[_-])(?:key|auth)$|^-k$/i

function namesSecret(name: string, value: string): boolean {
  if (describesSecret.test(name)) return false
  if (secretName.test(name) || shortName.test(name)) return true
  return weakName.test(name) && (isRandom(value) || asksForText(value))
}

function isRandom(value: string): boolean {
  return /^[\w.~+/=-]{16,}$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value)
}

const path =
  /^(?:~|\.{1,2}|[A-Za-z]:)?[\\/]|^[\w.-]+\.(?:json|pem|key|crt|cert|txt|ya?ml|toml|env|p8|p12|pfx)$/i
const address = /^[a-z][a-z\d+.-]*:\/\//i

/** Values that are no secret whatever their name is: switches, numbers, places. */
function isHarmless(value: string): boolean {
  return (
    /^(?:true|false|yes|no|on|off|none|null|nil|undefined|auto|default|required|optional|enabled|disabled|bearer|basic|oauth2?|env|keychain|file|stdin|prompt|anonymous)$/i.test(
      value,
    ) ||
    /^[-+]?\d{1,6}(?:\.\d+)?(?:ms|s|m|h|d|kb|mb|k)?$/i.test(value) ||
    path.test(value) ||
    address.test(value) ||
    /^(?:op|vault|secret|aws-sm|gcp-sm|keyring|pass):/i.test(value)
  )
}

/** The password of a URL or of a `Key=Value;` connection string. */
export function passwordIn(text: string): string | undefined {
  const [, inUrl] =
    /^[a-z][a-z\d+.-]{0,32}:(?:[a-z]{1,16}:)?\/\/[^/?#\s@:]{0,256}:([^/?#\s]{1,256})@/i.exec(text) ?? []
  if (inUrl !== undefined && inUrl !== '') return inUrl
  const [, inQuery] =
    address.test(text) || /^jdbc:/i.test(text)
      ? (/[?&;](?:password|pwd)=([^&;\s]{1,256})/i.exec(text) ?? [])
      : []
  if (inQuery !== undefined) return inQuery
  const isPairs = /^[\w ]{1,64}=[^;]{0,1024};/.test(text)
  const [, inPairs] = isPairs
    ? (/(?:^|;)\s*(?:password|pwd|AccountKey|SharedAccessKey)\s*=\s*([^;]{1,512})/i.exec(text) ?? [])
    : []
  if (inPairs !== undefined) return inPairs
  // `host=… user=… password=…`, as libpq takes it.
  return /(?:^|\s)(?:host|dbname|user)=\S/.test(text)
    ? /(?:^|\s)password=(\S{1,256})/.exec(text)?.[1]
    : undefined
}

function classifyPassword(password: string): LiteralKind | undefined {
  if (placeholder.test(password) || /^\{.*\}$/.test(password)) return undefined
  return isExample(password) ? 'example' : 'secret'
}

/** Words that ask for another text in their place. */
const asks =
  /^(?:your|yours|here|example|examples|placeholder|changeme|change|replace|replaceme|insert|dummy|sample|todo|fixme|fake|mock|redacted|paste|enter|fill|xxx+|abc+|foo|bar|foobar|lorem|tbd|actual|goes)$/i
/** Words of which a text for a reader consists; a random token has others. */
const describes =
  /^(?:my|the|a|an|some|new|real|this|put|set|use|from|in|of|to|is|me|it|with|api|apikey|key|keys|token|tokens|secret|secrets|password|passwd|pass|access|auth|bearer|personal|private|public|client|user|username|admin|root|test|testing|demo|dev|local|app|service|account|bot|server|mcp|value|string|text|id|x|sk|pk|ghp|github|gitlab|google|gemini|openai|anthropic|claude|slack|notion|brave|postgres|postgresql|mysql|redis|mongo|mongodb|db|database|neon|stripe|figma|linear|jira|aws|azure|supabase|firecrawl|tavily|exa|perplexity|\d{1,6})$/i

function isExample(text: string): boolean {
  return asksForText(text) || wordsOf(text).every((word) => describes.test(word))
}

/** Whether the text itself says that it is to be replaced. */
function asksForText(text: string): boolean {
  if (/^(?:<[^<>]*>|\[[^[\]]*\]|\{\{.*\}\}|__\w+__|x+)$/i.test(text)) return true
  return (
    /\.{3}|…|\*{3}|x{4}|<[\w -]+>|0{8}|1234567/i.test(text) || wordsOf(text).some((word) => asks.test(word))
  )
}

function wordsOf(text: string): readonly string[] {
  const split = text.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').split(/[^A-Za-z\d]+/)
  return split.filter((word) => word !== '')
}
