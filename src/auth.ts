export { accounts, forget, login, logout } from './logins.ts'
export type { AccountOptions, LoginOptions } from './logins.ts'
export type { Account } from './auth/credential.ts'
export type { LoginFlow, LoginStep } from './auth/login-options.ts'
