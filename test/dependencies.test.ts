import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}
const manifest = JSON.parse(read('package.json')) as Manifest // its documented form

/** The packages that a file imports, also dynamically; modules of Node.js are none. */
function packagesOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8')
  const found = [
    ...text.matchAll(/^(?:import|export)\b[^'\n]*from '([^'.][^']*)'|\bimport\('([^'.][^']*)'\)/gm),
  ]
  return found
    .map(([, one, other]) => one ?? other ?? '')
    .filter((name) => !name.startsWith('node:'))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    )
}

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/\.(?:test|d)\.ts$/.test(name))
  .map((name) => ({ name, packages: packagesOf(join(root, 'src', name)) }))

describe('dependencies', () => {
  test('the check sees what is imported', () => {
    const used = new Set(sources.flatMap(({ packages }) => packages))
    expect(used).toContain('undici')
    expect(used).toContain('yaml')
  })

  test('C20 C35 D29 the wire imports no package', () => {
    const wire = sources.filter(({ name }) => /^(?:wire|model)\//.test(name))
    expect(wire.length).toBeGreaterThan(50)
    expect(wire.filter(({ packages }) => packages.length > 0)).toEqual([])
  })

  test('C20 no source imports the official SDK, and no entry of the package depends on it; tests speak with it', () => {
    const isSdk = (name: string) => name.startsWith('@modelcontextprotocol/')
    expect(sources.filter(({ packages }) => packages.some(isSdk))).toEqual([])
    const { dependencies, optionalDependencies, peerDependencies } = manifest
    expect(
      Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).filter(isSdk),
    ).toEqual([])
    expect(packagesOf(join(root, 'test/interop/peers.test.ts')).filter(isSdk)).not.toEqual([])
  })

  test('C35 each dependency is used, and ARCHITECTURE.md says why it is one', () => {
    const section =
      read('ARCHITECTURE.md')
        .split(/^## Dependencies$/m)[1]
        ?.split(/^## /m)[0] ?? ''
    const reasons = [...section.matchAll(/^\| `([^`]+)`\s*\| (\S.*?)\s*\|/gm)].map(([, name = '']) => name)
    const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })
    expect(reasons.toSorted()).toEqual(names.toSorted())
    const used = new Set(sources.flatMap(({ packages }) => packages))
    expect(names.filter((name) => !used.has(name))).toEqual([])
  })
})

/** Files of ours in a text: a name without a folder is beside the one before it. */
function filesIn(text: string): readonly string[] {
  let folder = ''
  return text
    .split(/[,;:]\s*|\s+/)
    .filter((word) => /^(?:src|test)\/|^[\w-]+\.ts$/.test(word))
    .map((word) => {
      if (word.includes('/')) folder = word.slice(0, word.lastIndexOf('/'))
      return word.includes('/') ? word : `${folder}/${word}`
    })
}

describe('C34 D31 the documents of other systems', () => {
  test.each(['boocode', 'dispatch', 'omp'] as const)(
    '%s: every file of ours that is named exists',
    async (name) => {
      const rows = read('docs/reference/presets.md')
        .split(/^## /m)
        .find((section) => section.startsWith(`${name} `))
        ?.split('\n')
        .filter((line) => line.startsWith('|'))
        .map((line) => line.replaceAll('\\', '').split(' | ').slice(1).join(' | '))
      const files = (rows ?? []).flatMap(filesIn).filter((file) => !file.includes('*'))
      expect(files.length).toBeGreaterThan(3)
      expect(
        files.filter((file) => !existsSync(join(root, file))).map((file) => relative(root, join(root, file))),
      ).toEqual([])
    },
  )
})
