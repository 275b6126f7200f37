export { accounts, forget, login, logout } from './host/accounts.ts'
export type { AccountOptions, LoginOptions } from './host/accounts.ts'
export type { Account } from './login/credential.ts'
export type { LoginFlow, LoginStep } from './login/login-options.ts'
