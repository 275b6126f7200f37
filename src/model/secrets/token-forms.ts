/** Tokens, keys and passwords in URLs that are recognizable by their form. */
const tokenForms =
  /\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|sk-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|hf_[A-Za-z0-9]{20,}|glpat-[A-Za-z0-9_-]{16,}|(?<![\w-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)|(?<=\b[Bb]earer )[A-Za-z0-9._~+/-]{8,}=*|(?<=:\/\/[^/\s:@"]{0,64}:)(?:[^/\s@"'`]|['`](?![,;:)}\]])){1,256}(?=@)|-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----(?:(?:(?!-----BEGIN|"\s{0,64}[,:}\]])[\s\S]){0,16384}?-----END [A-Z ]{0,32}PRIVATE KEY-----|(?:[A-Za-z0-9+/=\s]|\\[nr])*)/g

/** A cheap test before `tokenForms`: most texts contain no token. */
const mayHoldToken = /AKIA|gh[pousr]_|github_pat_|sk-|xox|hf_|glpat-|eyJ|earer |:\/\/[^/\s]*@|-----BEGIN/

/** Masks everything that looks like a token. */
export function maskTokens(text: string, mask: string): string {
  return mayHoldToken.test(text) ? text.replace(tokenForms, mask) : text
}
