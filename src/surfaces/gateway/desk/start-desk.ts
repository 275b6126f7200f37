import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

/** What the gateway's own process needs; everything else comes from its clients. `NODE_OPTIONS` is not among it (T53). */
const ownVariables =
  /^(?:HOME|USER|LOGNAME|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/
const onWindows =
  /^(?:APPDATA|COMSPEC|HOMEDRIVE|HOMEPATH|LOCALAPPDATA|PATH|PATHEXT|PROGRAMDATA|SYSTEMDRIVE|SYSTEMROOT|TEMP|TMP|USERNAME|USERPROFILE|WINDIR|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/i

/**
 * Starts the gateway of this user and waits until it listens, or until it found another one that does. It gets a session
 * of its own and, through a shell that ends at once, no parent: clients end the processes below them when they leave.
 *
 * @returns What went wrong, if it did not start.
 */
export function startDesk(entry: string, preset: string): Promise<string | undefined> {
  const isWindows = process.platform === 'win32'
  const wanted = isWindows ? onWindows : ownVariables
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => wanted.test(name)))
  const words = [process.execPath, entry, '__desk', preset]
  const [command = '', ...args] = isWindows ? words : ['/bin/sh', '-c', '"$0" "$@" &', ...words]
  const child = spawn(command, args, {
    cwd: isWindows ? process.env['SYSTEMROOT'] : '/',
    env,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  child.unref()
  const said = child.stdio[3] as Readable | null // a pipe can be read too
  return new Promise((done) => {
    let text = ''
    child.on('error', (error) => done(error.message))
    said?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    said?.on('error', () => undefined)
    said?.on('close', () => done(text === 'ready' ? undefined : text || 'it ended at once'))
  })
}
