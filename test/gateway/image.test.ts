import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { freePorts } from '../support/programs/free-ports.ts'
import { startProgram, succeeds } from '../support/programs/program.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const dockerfile = readFileSync(join(root, 'examples/gateway/Dockerfile'), 'utf8')
const server = fileURLToPath(new URL('servers/box.mjs', import.meta.url))
const bwrap: string = process.env['BWRAP'] ?? 'bwrap'
const box = ['--unshare-all', '--share-net', '--die-with-parent', '--cap-drop', 'ALL']
const isThere = succeeds(bwrap, [...box, '--ro-bind', '/', '/', 'true'])
const missing = isThere ? undefined : 'bwrap is not installed, or cannot make a box here'

/** The last stage of the Dockerfile: what it sets for the process. */
function readImage() {
  const stage = dockerfile.slice(dockerfile.lastIndexOf('FROM '))
  const linesOf = (word: string) =>
    [...stage.matchAll(new RegExp(`^${word} (.*)$`, 'gm'))].map(([, text = '']) => text)
  const [user = ''] = linesOf('USER')
  const [entryPoint = '[]'] = linesOf('ENTRYPOINT')
  return {
    env: linesOf('ENV').map((each) => each.split('=') as [string, string]),
    folder: linesOf('WORKDIR').at(-1) ?? '',
    user: user.split(':') as [string, string],
    entryPoint: JSON.parse(entryPoint) as readonly string[],
  }
}

test.skipIf(missing)(
  `the image: its entry point serves as its user on a read-only root file system${missing ? ` (${missing})` : ''}`,
  async () => {
    const { env, folder, user, entryPoint } = readImage()
    const [program, ...args] = entryPoint
    expect([program, user]).toEqual(['plugboard', ['65532', '65532']])
    const outside = mkdtempSync(join(tmpdir(), 'plugboard-image-'))
    const [port = 0] = await freePorts(1)
    const config = { mcpServers: { box: { command: '/opt/node', args: ['/opt/box.mjs'] } } }
    mkdirSync(join(outside, 'etc'))
    writeFileSync(join(outside, 'etc/settings.json'), '{}')
    writeFileSync(join(outside, 'etc/gateway.json'), JSON.stringify(config))
    const shared = ['/usr', '/lib', '/lib64', '/bin', '/etc/ssl'].filter((path) => existsSync(path))
    const child = startProgram(bwrap, [
      ...box,
      '--unshare-user',
      '--uid',
      user[0],
      '--gid',
      user[1],
      '--clearenv',
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      ...shared.flatMap((path) => ['--ro-bind', path, path]),
      '--ro-bind',
      realpathSync(process.execPath),
      '/opt/node',
      '--ro-bind',
      join(root, 'dist'),
      '/opt/plugboard/dist',
      '--ro-bind',
      join(root, 'data'),
      '/opt/plugboard/data',
      '--ro-bind',
      join(root, 'package.json'),
      '/opt/plugboard/package.json',
      '--ro-bind',
      realpathSync(join(root, 'node_modules')),
      '/opt/plugboard/node_modules',
      '--ro-bind',
      server,
      '/opt/box.mjs',
      '--ro-bind',
      join(outside, 'etc'),
      '/etc/plugboard',
      '--dir',
      folder,
      '--tmpfs',
      '/var/lib/plugboard',
      '--tmpfs',
      '/tmp',
      '--remount-ro',
      '/',
      ...env.flatMap(([name, value]) => ['--setenv', name, value]),
      '--setenv',
      'PATH',
      '/usr/bin:/bin',
      '--chdir',
      folder,
      '/opt/node',
      '/opt/plugboard/dist/cli/plugboard.cjs',
      ...args.map((each) => (each === '4400' ? String(port) : each)),
      '--from',
      '/etc/plugboard/gateway.json',
      '--json',
    ])
    try {
      const { url, token } = await child.document<{ readonly url: string; readonly token: string }>()
      expect(child.stderr()).toBe('')
      for (const path of ['/livez', '/readyz']) expect((await fetch(new URL(path, url))).status).toBe(200)
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'box__look', arguments: {} },
        }),
      })
      // A slow machine makes a stream of it.
      const body = (await response.text()).split('data: ').at(-1) ?? ''
      const { result } = JSON.parse(body) as { readonly result: { readonly structuredContent: object } }
      expect(result.structuredContent).toEqual({
        uid: 65532,
        gid: 65532,
        root: 'EROFS',
        work: 'EROFS',
        state: 'written',
        tmp: 'written',
      })
    } finally {
      await child.kill('SIGTERM')
      rmSync(outside, { recursive: true, force: true })
    }
  },
)

test('the files of the example are where the Dockerfile and the Compose file look for them', () => {
  const compose = readFileSync(join(root, 'examples/gateway/compose.yaml'), 'utf8')
  const [, named = ''] = /dockerfile: (\S+)/.exec(compose) ?? []
  expect(existsSync(join(root, named))).toBe(true)
  const mounted = [...compose.matchAll(/- \.\/(\S+?):/g)].map(([, file = '']) => file)
  const made = ['certificate.pem', 'certificate.key']
  for (const file of mounted.filter((each) => !made.includes(each)))
    expect([file, existsSync(join(root, dirname(named), file))]).toEqual([file, true])
})

test('the build of the image takes no history, no installed packages and no keys, and all that it builds and packs', () => {
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
  expect(ignored).toEqual(
    expect.arrayContaining(['.git', '**/node_modules', '**/*.key', '**/*.pem', '**/*.env', '**/.env.*']),
  )
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly files: readonly string[]
  }
  const needed = [...files, 'src', 'web', 'test', 'scripts', 'package-lock.json', 'tsconfig.build.json']
  expect(needed.filter((path) => path !== 'dist' && ignored.includes(path))).toEqual([])
})
