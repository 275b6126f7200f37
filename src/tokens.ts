// Verifying the tokens of callers, for the gateway. Not an entry of package.json.
export { loadIssuerKeys } from './login/tokens/load-issuer-keys.ts'
export { createTokenJudge } from './login/tokens/token-judge.ts'
export type { TokenVerdict } from './login/tokens/token-judge.ts'
