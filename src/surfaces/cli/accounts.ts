import type { Account } from '../../auth.ts'
import { escapeLine } from '../terminal/escape.ts'
import type { Canvas } from '../terminal/terminal-output.ts'

/** A login in one line: who, with which rights, until when. */
export function drawAccount(
  { account, who, issuer, scopes, expiresAt, isRenewable }: Account,
  { style }: Canvas,
): string {
  const parts = [
    who === undefined
      ? `account ${escapeLine(account)}`
      : `${escapeLine(who)} (account ${escapeLine(account)})`,
    `at ${escapeLine(issuer)}`,
    ...(scopes.length > 0 ? [`may ${escapeLine(scopes.join(' '))}`] : []),
    ...(expiresAt === undefined || isRenewable ? [] : [`until ${new Date(expiresAt).toISOString()}`]),
  ]
  return style.dim(parts.join(', '))
}
