import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type * as Compiler from 'typescript-5.6'
import { describe, expect, test } from 'vitest'
import { runProgram } from './support/programs/program.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const consumer = join(root, 'test/types/consumer.ts')

/** Compiles the consumer against dist/; every `@ts-expect-error` in it must be an error, and nothing else. */
async function compile(compiler: string, moduleResolution: string): Promise<string> {
  const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution
  const flags = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--skipLibCheck', '--types', 'node']
  const { stdout } = await runProgram(
    process.execPath,
    [
      join(root, `node_modules/${compiler}/bin/tsc`),
      ...(compiler === 'typescript' ? ['--ignoreConfig'] : []),
      ...flags,
      '--module',
      module,
      '--moduleResolution',
      moduleResolution,
      '--target',
      'es2023',
      '--lib',
      'es2023,esnext.disposable',
      consumer,
    ],
    { cwd: root },
  )
  return stdout
}

describe('public types: an embedder compiles against dist/', () => {
  test.each([
    ['typescript', 'nodenext'],
    ['typescript', 'bundler'],
    ['typescript-5.6', 'nodenext'],
    ['typescript-5.6', 'bundler'],
  ])('%s with moduleResolution %s', async (compiler, moduleResolution) => {
    expect(await compile(compiler, moduleResolution)).toBe('')
  })
})

test('public types: every type that an exported one refers to is exported by name', () => {
  expect(unexportedTypes()).toEqual([])
})

/** Types in dist/ that can be reached from an exported one and have no exported name: `Name file <- referrer`. */
function unexportedTypes(): readonly string[] {
  const ts = createRequire(import.meta.url)('typescript-5.6') as typeof Compiler
  const dist = join(root, 'dist/')
  const program = ts.createProgram(entryTypes(), {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    strict: true,
    skipLibCheck: true,
  })
  const checker = program.getTypeChecker()
  const resolve = (symbol: Compiler.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const exported = entryTypes().flatMap((file) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)
    return checker.getExportsOfModule(module!).map(resolve)
  })
  expect(exported.length).toBeGreaterThan(250)
  const seen = new Set(exported)
  const missing: string[] = []
  const waiting = [...seen]
  for (let symbol = waiting.pop(); symbol; symbol = waiting.pop()) {
    for (const declaration of symbol.declarations ?? []) visit(declaration, symbol)
  }
  return missing.sort()

  function visit(node: Compiler.Node, referrer: Compiler.Symbol): void {
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : undefined
    const symbol = name && checker.getSymbolAtLocation(name)
    if (symbol) follow(resolve(symbol), referrer)
    ts.forEachChild(node, (child) => visit(child, referrer))
  }

  function follow(symbol: Compiler.Symbol, referrer: Compiler.Symbol): void {
    const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? ''
    if (!file.startsWith(dist) || symbol.flags & ts.SymbolFlags.TypeParameter || seen.has(symbol)) return
    seen.add(symbol)
    waiting.push(symbol)
    missing.push(`${symbol.name} ${file.slice(dist.length)} <- ${referrer.name}`)
  }
}

/** The type files of package.json's exports. */
function entryTypes(): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>
  }
  return Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : join(root, entry.types)))
}
