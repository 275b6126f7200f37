import { dirname, join, resolve } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import { nodePlatform } from '../platform/node/node-platform.ts'
import type { Account, Platform } from '../platform/platform.ts'
import { isBelow } from '../sources/path-containment.ts'
import { findProject, isInProject, isProjectConfig, ownFolders } from '../sources/project-folder.ts'
import { withoutProjectPrograms } from './world.ts'

export interface BelievedPlatform {
  readonly platform: Platform
  /** Which variables are not used, and what is used instead. */
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * T54: the platform without variables that lead our own directories into the project, for us and for the programs we
 * start. Otherwise a project could supply settings, logins or decisions. A home directory that the program passed is
 * always used.
 */
export async function believePlatform(given: Partial<Platform>): Promise<BelievedPlatform> {
  const platform = nodePlatform(given)
  const account = given.home === undefined ? await accountToUse(platform) : undefined
  const home = account?.home ?? platform.home
  const misplaced = await misplacedVariables({ ...platform, home })
  if (!account && misplaced.length === 0)
    return { platform: withOwnBrowser(platform, given), diagnostics: [] }
  const variable = homeVariable(platform)
  const env = { ...platform.env }
  for (const name of misplaced) delete env[name]
  if (account && env[variable]) env[variable] = home
  return {
    platform: withOwnBrowser(nodePlatform({ ...given, env, home }), given),
    diagnostics: [
      ...(account ? [homeWarning(platform, account)] : []),
      ...(misplaced.length > 0 ? [variablesWarning(misplaced, platform)] : []),
    ],
  }
}

/** T51: the page of a login is opened by no program of the project. */
function withOwnBrowser(platform: Platform, given: Partial<Platform>): Platform {
  if (given.browser) return platform
  return {
    ...platform,
    async browser(url) {
      const env = await withoutProjectPrograms(platform, await findProject(platform))
      return nodePlatform({ ...given, env }).browser(url)
    },
  }
}

/** The account, if its home directory counts with a warning: HOME is in the project, or unset and nothing can be stored. */
async function accountToUse(platform: Platform): Promise<Account | undefined> {
  if (!platform.env[homeVariable(platform)]) {
    const account = platform.account()
    return account.canWrite ? undefined : account
  }
  const { files } = platform
  const home = await files.realPath(resolve(platform.cwd, platform.home))
  if (!(await mayBeInProject(home, platform))) return undefined
  const account = platform.account()
  if (home === (await files.realPath(account.home))) return undefined
  const project = await findProject({ ...platform, home: account.home })
  return (await isInProject(home, project, files)) ? account : undefined
}

/**
 * Whether a project can contain the home directory, for any account: it needs a repository there or above, or a working
 * directory above. Asking the system for the account would cost more than this. Without a repository, a person who works
 * in HOME itself is at home, as in a container that has no entry for the user.
 */
async function mayBeInProject(home: string, { cwd, files }: Platform): Promise<boolean> {
  for (let dir = home; dir !== dirname(dir); dir = dirname(dir))
    if (await files.stat(join(dir, '.git'))) return true
  const realCwd = await files.realPath(resolve(cwd))
  return (
    (home !== realCwd && isBelow(home, [realCwd])) || /[\\/](?:node_modules|\.venv)(?:[\\/]|$)/.test(home)
  )
}

type Variable = keyof typeof ownFolders

async function misplacedVariables(platform: Platform): Promise<readonly Variable[]> {
  const { env, home, cwd, files } = platform
  const usual = (name: Variable) => join(home, ownFolders[name])
  const names = Object.keys(ownFolders) as readonly Variable[] // the keys of a constant
  const moved = names.filter((name) => env[name] && env[name] !== usual(name))
  if (moved.length === 0) return []
  const project = await findProject(platform)
  const misplaced: Variable[] = []
  for (const name of moved) {
    const folder = resolve(cwd, env[name] ?? '')
    if ((await files.realPath(folder)) === (await files.realPath(usual(name)))) continue
    // The folder may be outside and hold a link into the project. T131: it may also be one that a parent's archive brings.
    for (const path of [folder, join(folder, 'plugboard')])
      if (!misplaced.includes(name) && (await isProjectConfig(path, project, files))) misplaced.push(name)
  }
  return misplaced
}

function homeVariable({ os, env }: Pick<Platform, 'os' | 'env'>): string {
  return os === 'win32' && env['USERPROFILE'] !== undefined ? 'USERPROFILE' : 'HOME'
}

function homeWarning(platform: Platform, { home, canWrite }: Account): Diagnostic {
  const variable = homeVariable(platform)
  const value = platform.env[variable]
  const what = value
    ? `${variable} leads into the project (${value}) and is not used; the home directory of your account, ${home}, is used instead.`
    : `${variable} is not set; the home directory of your account, ${home}, is used.`
  return {
    code: 'directory-in-project',
    severity: 'warn',
    message: canWrite
      ? what
      : `${what} It cannot be written, so nothing is kept: no settings, trust or logins.`,
    hint: `Set ${variable} to a folder outside the project.`,
  }
}

function variablesWarning(names: readonly Variable[], { env }: Platform): Diagnostic {
  const shown = names.map((name) => `${name} (${env[name]})`).join(', ')
  const [leads, is, them] = names.length === 1 ? ['leads', 'is', 'it'] : ['lead', 'are', 'them']
  return {
    code: 'directory-in-project',
    severity: 'warn',
    message: `${shown} ${leads} into the project and ${is} not used: a project must not supply your settings or logins.`,
    hint: `Set ${them} to a folder outside the project, or unset ${them}.`,
  }
}
