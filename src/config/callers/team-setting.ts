import type { Settings } from '../settings.ts'

/** Set to `1`, it says the same as `"team": true` beside the address of the store. */
const variable = 'PLUGBOARD_TEAM'

/**
 * Whether this machine belongs to a team: what was accepted and the logins are then in the database that `store` names, and not
 * in files of this machine. Never without a database of the person's own choice.
 */
export function isTeam(
  env: Readonly<Record<string, string | undefined>>,
  { store }: Pick<Settings, 'store'>,
): boolean {
  if (!env['PLUGBOARD_DATABASE_URL'] && !store) return false
  return env[variable] === '1' || store?.team === true
}
