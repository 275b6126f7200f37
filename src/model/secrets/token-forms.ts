/** Forms of tokens that providers document. Each is narrow enough for running text. */
const forms = [
  'AKIA[0-9A-Z]{16}',
  'gh[pousr]_[A-Za-z0-9]{16,}',
  'github_pat_[A-Za-z0-9_]{16,}',
  'sk-[A-Za-z0-9_-]{16,}',
  'sk_(?:live|test)_[A-Za-z0-9]{12,}',
  'xox[abeprs]-[A-Za-z0-9-]{10,}',
  'hf_[A-Za-z0-9]{16,}',
  'glpat-[A-Za-z0-9_-]{12,}',
  'npm_[A-Za-z0-9]{30,}',
  'pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}',
  'AIza[A-Za-z0-9_-]{30,}',
  'pbk_[0-9a-f]{12}_[A-Za-z0-9_-]{43}',
  'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}',
  'secret_[A-Za-z0-9]{24,}',
  'ntn_[A-Za-z0-9]{24,}',
  'lin_api_[A-Za-z0-9]{20,}',
  'tvly-[A-Za-z0-9-]{12,}',
  '(?<![\\w-])eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*',
].join('|')

const inUrl = '(?<=:\\/\\/[^/\\s:@"]{0,64}:)(?:[^/\\s@"\'`]|[\'`](?![,;:)}\\]])){1,256}(?=@)'
const privateKey =
  '-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----(?:(?:(?!-----BEGIN|"\\s{0,64}[,:}\\]])[\\s\\S]){0,16384}?-----END [A-Z ]{0,32}PRIVATE KEY-----|(?:[A-Za-z0-9+/=\\s]|\\\\[nr])*)'

/** Tokens, keys and passwords in URLs that are recognizable by their form. */
const tokens = new RegExp(
  `\\b(?:${forms})|(?<=\\b[Bb]earer )[A-Za-z0-9._~+/-]{8,}=*|${inUrl}|${privateKey}`,
  'g',
)
const wholeToken = new RegExp(`^(?:${forms})$`)

/** A cheap test before `tokens`: most texts contain no token. */
const mayHoldToken =
  /AKIA|gh[pousr]_|github_pat_|sk[-_]|xox|hf_|glpat-|npm_|pat\w{14}\.|AIza|pbk_|SG\.|secret_|ntn_|lin_api_|tvly-|eyJ|earer |:\/\/[^/\s]*@|-----BEGIN/

/** Masks everything that looks like a token. */
export function maskTokens(text: string, mask: string): string {
  return mayHoldToken.test(text) ? text.replace(tokens, mask) : text
}

/** Whether the whole text has the form of a provider's token. */
export function isToken(text: string): boolean {
  return wholeToken.test(text)
}
