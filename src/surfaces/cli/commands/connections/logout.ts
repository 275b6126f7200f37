import { listAccounts, forgetAccount, logout as logOut } from '../../../../auth.ts'
import type { Account, AccountOptions } from '../../../../auth.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import { answersOf, setExit, outputOf, folderOf } from '../../command-context.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'
import { discoverFor, discoverOptions } from '../../discover-servers.ts'
import { usage } from '../../errors.ts'
import { findInScope } from '../../find-server.ts'

export interface LogoutFlags extends WaitFlags {
  readonly account?: string
  readonly all?: boolean
}

/** Removes a login; if there are several, one must be chosen with a flag. */
export async function logout(cli: Cli, flags: LogoutFlags, name: string): Promise<void> {
  if (flags.all && flags.account !== undefined) throw usage('Use --account or --all, not both.')
  const output = outputOf(cli, flags)
  const target = await targetOf(cli, name, flags)
  const { account, timeout } = flags
  const options = {
    ...discoverOptions(cli, flags),
    cwd: folderOf(cli, flags),
    ...answersOf(flags),
    ...(account !== undefined && { account }),
    warn: (message: string) => output.warn(message),
  }
  const loggedOut = await cli.signals.guard(
    async () => {
      const known = await target.accounts(options)
      const names = known.map((each) => escapeLine(each.account))
      if (known.length > 1 && account === undefined && !flags.all) {
        throw usage(`"${name}" has several logins: ${names.join(', ')}.`, 'Use --account NAME or --all.')
      }
      return target.logOut(options)
    },
    { timeoutMs: timeout },
  )
  output.result({ accounts: loggedOut }, () =>
    loggedOut.map((each) => `${name}: logged out (account ${escapeLine(each.account)})`).join('\n'),
  )
  if (loggedOut.length === 0) {
    output.note(`There is no such login for "${name}".`)
    setExit(cli, 'unknown')
  }
  await output.flush()
}

interface LoginTarget {
  accounts(options: AccountOptions): Promise<readonly Account[]>
  logOut(options: AccountOptions): Promise<readonly Account[]>
}

/** Finds logins by server name, or by address as `whoami` shows it: the entry may be gone or have changed since. */
async function targetOf(cli: Cli, name: string, flags: LogoutFlags): Promise<LoginTarget> {
  if (!/^https?:\/\//i.test(name)) {
    const server = findInScope(await discoverFor(cli, flags), flags.scope, name)
    return {
      accounts: (options) => listAccounts(server, options),
      logOut: (options) => logOut(server, options),
    }
  }
  const known = async (options: AccountOptions) =>
    (await listAccounts(undefined, options)).filter(({ server }) => server === name)
  return {
    accounts: known,
    async logOut(options) {
      const { account } = options
      const chosen = (await known(options)).filter(
        (each) => account === undefined || each.account === account,
      )
      for (const each of chosen) await forgetAccount(each, options)
      return chosen
    },
  }
}
