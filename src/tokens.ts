// The tokens and the logins of callers, for the gateway. Not an entry of package.json.
export { forgetCaller } from './host/auth-api.ts'
export { CallerAccounts } from './host/caller-accounts.ts'
export type { BegunLogin } from './login/caller-login.ts'
export { loadIssuerKeys } from './login/tokens/load-issuer-keys.ts'
export { createTokenJudge } from './login/tokens/token-judge.ts'
export type { TokenVerdict } from './login/tokens/token-judge.ts'
