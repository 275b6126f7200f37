import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { startProgram, succeeds } from './program.ts'

const example = fileURLToPath(new URL('../../../examples/gateway/nginx.conf', import.meta.url))
const program = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].find(
  (path) => succeeds(path, ['-v']),
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
  const nginx = startProgram(program ?? '', ['-p', folder, '-c', file])
  const failed = nginx.result.then(({ stderr }) => Promise.reject(new Error(`nginx: ${stderr}`)))
  const answer = vi.waitFor(() => fetch(`http://127.0.0.1:${port}/`), { timeout: 60_000, interval: 10 })
  await Promise.race([answer, failed])
  return {
    async [Symbol.asyncDispose]() {
      await nginx.kill('SIGTERM')
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
