import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const example = fileURLToPath(new URL('../../../examples/gateway/nginx.conf', import.meta.url))
const program = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].find(
  (path) => spawnSync(path, ['-v']).status === 0,
)

/** Why there is none here; `undefined` if there is one. */
export const noNginx = program === undefined ? 'nginx is not installed' : undefined

/** Runs nginx with the configuration of the example, as an ordinary process on a port of its own. */
export async function startNginx(port: number, ports: readonly [number, number]): Promise<AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-nginx-'))
  const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  mkdirSync(join(folder, 'temp'))
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off;
master_process off;
pid ${folder}/pid;
error_log stderr warn;
events {}
http {
  access_log off;
${temps.map((name) => `  ${name}_temp_path ${folder}/temp/${name};`).join('\n')}
${onLoopback(readFileSync(example, 'utf8'), port, ports)}
}
`,
  )
  const child = spawn(program ?? '', ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`nginx: ${errors}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return {
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      if (child.exitCode === null) await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The example with other addresses, and without TLS. Throws if it no longer has what is replaced. */
function onLoopback(text: string, port: number, ports: readonly [number, number]): string {
  const replacements: readonly (readonly [RegExp, string])[] = [
    [/listen 443 ssl;/g, `listen 127.0.0.1:${port};`],
    [/ssl_certificate(?:_key)? .*\n/g, '\n'],
    [/10\.0\.0\.11:4400/g, `127.0.0.1:${ports[0]}`],
    [/10\.0\.0\.12:4400/g, `127.0.0.1:${ports[1]}`],
  ]
  return replacements.reduce((all, [from, to]) => {
    if (all.search(from) < 0) throw new Error(`the example has no ${from.source}`)
    return all.replace(from, to)
  }, text)
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  )
}

export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  for (const server of servers) if (!server.listening) await once(server, 'listening')
  const ports = servers.map((server) => {
    const address = server.address()
    return typeof address === 'object' && address ? address.port : 0
  })
  for (const server of servers) server.close()
  return ports
}
