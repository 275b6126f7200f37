import type { ConfigMatch, ConfigRule } from './config-rule.ts'
import { launchedPrograms } from '../../model/launch/launched-programs.ts'

const open =
  /^--(?:privileged(?:=true)?|pid=host|ipc=host|userns=host|uts=host|cap-add=(?:all|sys_admin|sys_ptrace)|security-opt=(?:seccomp|apparmor)[=:]unconfined)$/i
const pairs = new Set(['--pid', '--ipc', '--userns', '--uts', '--cap-add', '--security-opt'])
const mountFlags = new Set(['-v', '--volume', '--mount'])
const home = '(?:~|\\$\\{?(?:HOME|env:HOME|userHome|USERPROFILE)\\}?|/root|/home/[^/:,]+|/Users/[^/:,]+)'
const sensitive = new RegExp(
  `^(?:/|/etc(?:/.*)?|/proc(?:/.*)?|/sys(?:/.*)?|/dev|/var/run|/run|/boot|.*/(?:docker|containerd|podman)\\.sock|${home}/?|${home}/\\.(?:ssh|aws|gnupg|kube|config|docker|azure|netrc|npmrc|mozilla|claude)(?:/.*)?|[A-Za-z]:[\\\\/]?)$`,
)

export const openContainer: ConfigRule = {
  id: 'CFG-010',
  severity: 'high',
  title: 'Container that reaches the whole machine',
  reason: 'With these rights a container is no box: it can read keys or take over the machine.',
  remedy: 'Remove the flag, or mount only the folder that the server works on.',
  hits: [
    { command: 'docker', args: ['run', '--privileged', 'acme/server:1.0.0'] },
    {
      command: 'docker',
      args: ['run', '-v', '/var/run/docker.sock:/var/run/docker.sock', 'acme/server:1.0.0'],
    },
    { command: 'podman', args: ['run', '--mount', 'type=bind,src=${HOME}/.ssh,dst=/k', 'acme/server:1.0.0'] },
  ],
  misses: [
    { command: 'docker', args: ['run', '-v', '${PWD}:/work', 'acme/server:1.0.0'] },
    { command: 'docker', args: ['run', '-v', '/home/me/project:/work', 'acme/server:1.0.0'] },
  ],
  find: (server) =>
    launchedPrograms(server)
      .filter(({ name }) => /^(?:docker|podman|nerdctl)$/.test(name))
      .flatMap(({ args, offset }) =>
        args.flatMap((arg, index) => look(arg, args[index + 1], index + offset)),
      ),
}

function look(arg: string, next: string | undefined, index: number): readonly ConfigMatch[] {
  const pointer = `/args/${index}`
  const flag = pairs.has(arg) && next !== undefined ? `${arg}=${next}` : arg
  if (open.test(flag))
    return [{ severity: 'high', pointer, message: `The container runs with ${flag}.`, evidence: flag }]
  const [name = '', inner] = arg.split(/=(.*)/s)
  const mount = mountFlags.has(name) ? (inner ?? next) : undefined
  const from = mount === undefined ? undefined : mountedFolder(mount)
  if (from === undefined || !sensitive.test(from)) return []
  return [{ severity: 'high', pointer, message: `The container gets ${from}.`, evidence: mount ?? '' }]
}

/** The folder of this machine in `-v from:to` or `--mount src=from,dst=to`. */
function mountedFolder(mount: string): string {
  const named = /(?:^|,)(?:src|source)=([^,]+)/.exec(mount)?.[1]
  return named ?? /^((?:[A-Za-z]:[\\/])?(?:\$\{[^}]*\})?[^:]*)/.exec(mount)?.[1] ?? mount
}
