import ts from 'typescript-5.6'

/** What generated modules import, without the sources of the package: checking those for every sample takes too long. */
const packageTypes = `declare module 'plugboard' {
  export class HostError extends Error { constructor(code: string, data: object, message: string) }
  export interface CallOptions { readonly isWhole?: boolean }
  export interface CallResult { readonly text: string; readonly failed: boolean; readonly structured?: unknown }
  export interface View { call(ref: string, args?: object, options?: CallOptions): Promise<CallResult> }
}`
const packageFile = '/plugboard.d.ts'
const moduleFile = '/module.ts'

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2022.d.ts'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  noEmit: true,
}

const parsed = new Map<string, ts.SourceFile | undefined>()

/** Type-checks one generated module in memory; returns its tree and the messages of the compiler. */
export function compile(code: string): {
  readonly file: ts.SourceFile
  readonly problems: readonly string[]
} {
  const host = ts.createCompilerHost(options)
  const texts = new Map([
    [moduleFile, code],
    [packageFile, packageTypes],
  ])
  const program = ts.createProgram([moduleFile, packageFile], options, {
    ...host,
    fileExists: (name) => texts.has(name) || host.fileExists(name),
    readFile: (name) => texts.get(name) ?? host.readFile(name),
    getSourceFile(name, language) {
      const text = texts.get(name)
      if (text !== undefined) return ts.createSourceFile(name, text, language, true)
      if (!parsed.has(name)) parsed.set(name, host.getSourceFile(name, language))
      return parsed.get(name)
    },
  })
  const file = program.getSourceFile(moduleFile)
  if (!file) throw new Error('the module was not read')
  const problems = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
  return {
    file,
    problems: problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  }
}

/** Every node of a tree, comments of JSDoc excepted. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node
  for (const child of node.getChildren()) if (!ts.isJSDoc(child)) yield* nodesOf(child)
}
