export { accounts, forget, login, logout } from './host/auth-api.ts'
export type { AccountOptions, LoginOptions } from './host/auth-api.ts'
export type { Account } from './login/credential.ts'
export type { LoginFlow, LoginStep } from './login/login-options.ts'
