import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../src/client.ts'
import { namedOnly, sourceIds } from '../src/sources/places.ts'
import { notClients } from '../src/surfaces/cli/arguments/positionals.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('README: the numbers of clients and sources match the table of places', () => {
  const clients = sourceIds.filter((id) => id !== 'sep-2633' && !notClients.includes(id)).length
  expect(readme).toContain(`those of ${clients} other clients`)
  expect(readme).toContain(`reading ${sourceIds.length} sources`)
  expect(readme).toContain(
    `${clients} clients’ files, our own, a proposed common file (SEP-2633), and ${namedOnly.size} things to add from`,
  )
})

test('README: npm start serves the page with the demo, prints its address, and ends with everything it started', async () => {
  const script = fileURLToPath(new URL('../scripts/start.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGTERM'))
  const exited = once(child, 'exit')
  const [, address = '', token = ''] = await new Promise<RegExpExecArray>((resolve, reject) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const found = /(http:\/\/127\.0\.0\.1:\d+)\/#k=(\S+)\n/.exec((text += chunk))
      if (found) resolve(found)
    })
    void exited.then(() => reject(new Error(text)))
  })
  const { servers } = await createClient({ address, token }).send('GET /api/servers')
  expect(servers.map(({ name }) => name).sort()).toEqual(['demo', 'ledger', 'notes', 'weather'])
  child.kill('SIGTERM')
  expect(await exited).toEqual([143, null])
  await expect(fetch(address)).rejects.toThrow('fetch failed')
})

test('notClients: lists our own source and the sources that are read only when named', () => {
  expect([...notClients].sort()).toEqual(['plugboard', ...namedOnly].sort())
})

test('package: links of README, the guides and the reference pages lead to files that are in the package', () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly files: readonly string[]
  }
  const pages = [
    'README.md',
    'GLOSSARY.md',
    'CHANGELOG.md',
    'SECURITY.md',
    // The page of requirements names our tests, which are not in the package.
    ...['docs/guide', 'docs/reference'].flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
    ),
  ].filter((page) => !page.endsWith('/requirements.md'))
  const broken = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const targets = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target)
    return targets.filter((target) => {
      if (/^[a-z]+:/.test(target)) return false
      const path = join(page, '..', target)
      return !existsSync(join(root, path)) || !files.includes(path.split('/')[0]!)
    })
  })
  expect(broken).toEqual([])
})
