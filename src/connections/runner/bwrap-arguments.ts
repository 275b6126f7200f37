import type { BwrapRunner } from '../../model/runner/runner.ts'
import type { BoxFolder } from './box-folders.ts'

/** A folder of the system: itself, or a link to a place inside `/usr`. */
export interface SystemFolder {
  readonly path: string
  readonly linksTo?: string
}

export interface BwrapBox {
  readonly system: readonly SystemFolder[]
  readonly home: string
  /** Parents before what is in them. */
  readonly folders: readonly BoxFolder[]
  /** Folders of ours inside of opened ones: the box sees them empty. */
  readonly hidden: readonly string[]
  readonly network: BwrapRunner['network']
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Files that programs need to find libraries, users, time zones and certificates. `/etc` has secrets, so not the whole of it. */
const etcFiles = [
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'alternatives',
  'passwd',
  'group',
  'nsswitch.conf',
  'localtime',
  'timezone',
  'mime.types',
  'ssl/certs',
  'ssl/openssl.cnf',
  'ca-certificates',
  'pki/tls/certs',
  'pki/ca-trust/extracted',
]

const etcNetwork = ['resolv.conf', 'hosts', 'host.conf', 'gai.conf', 'services', 'protocols']

/**
 * The options of bwrap. The variables are in `handed`, which bwrap reads from file descriptor 3: every user can read a command
 * line (T35), and in the environment of bwrap itself they could make it load a library, outside of the box.
 */
export function bwrapArguments(box: BwrapBox): {
  readonly args: readonly string[]
  readonly handed: string
} {
  const { system, home, folders, hidden, network, cwd, env } = box
  const etc = [...etcFiles, ...(network ? etcNetwork : [])].map((name) => `/etc/${name}`)
  const args = [
    '--unshare-all',
    ...(network ? ['--share-net'] : []),
    // Without a user namespace of its own it could make one, and have all capabilities in it.
    '--unshare-user',
    '--disable-userns',
    '--cap-drop',
    'ALL',
    // Ends the box with bwrap, and bwrap with us: nothing survives a SIGKILL (FI-24).
    '--die-with-parent',
    ...system.flatMap(({ path, linksTo }) =>
      linksTo === undefined ? ['--ro-bind', path, path] : ['--symlink', linksTo, path],
    ),
    ...etc.flatMap((path) => ['--ro-bind-try', path, path]),
    '--proc',
    '/proc',
    // Root without capabilities still owns /proc/sys: through core_pattern it would run programs outside of the box.
    '--remount-ro',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    '--tmpfs',
    '/var/tmp',
    '--tmpfs',
    home,
    ...folders.flatMap(({ path, source, isWritable }) => [isWritable ? '--bind' : '--ro-bind', source, path]),
    ...hidden.flatMap((path) => ['--tmpfs', path]),
    '--dir',
    cwd,
    '--chdir',
    cwd,
    '--args',
    '3',
  ]
  const handed = Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])
  return { args, handed: handed.map((word) => `${word}\0`).join('') }
}
