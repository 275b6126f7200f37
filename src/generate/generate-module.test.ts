import * as fc from 'fast-check'
import ts from 'typescript-5.6'
import { expect, test } from 'vitest'
import { compile, nodesOf } from '../../test/support/compile.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { generateModule } from './generate-module.ts'
import type { GeneratedTool } from './generate-module.ts'
import { generateProgram } from './generate-program.ts'
import { IdentifierPool } from './identifiers.ts'
import { toLiteral } from './source-text.ts'

function toolOf(tool: string, fields: Partial<GeneratedTool> = {}): GeneratedTool {
  return { tool, description: '', inputSchema: { type: 'object' }, annotations: {}, ...fields }
}

const add = toolOf('add-numbers', {
  title: 'Adding',
  description: 'Adds two numbers.',
  annotations: { readOnlyHint: true },
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a'],
  },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
})

test('generate: a function with its types and comments for each tool', () => {
  const { code, functions } = generateModule('calc', [toolOf('now', { description: 'The time.' }), add])
  expect(functions).toEqual([
    { tool: 'add-numbers', name: 'addNumbers' },
    { tool: 'now', name: 'now' },
  ])
  expect(compile(code).problems).toEqual([])
  expect(code.slice(code.indexOf('/** Arguments'))).toBe(`/** Arguments of \`addNumbers\`. */
export type AddNumbersInput = {
  readonly a: number
  readonly b?: number
}

/** Structured result of \`addNumbers\`. */
export type AddNumbersOutput = {
  sum: number
}

/**
 * Adding
 *
 * Adds two numbers.
 *
 * The tool "add-numbers"; read-only, according to its server.
 */
export function addNumbers(
  caller: Caller,
  input: AddNumbersInput,
  options?: CallOptions,
): Promise<TypedResult<AddNumbersOutput>> {
  return runTyped(caller, "calc/add-numbers", input, options)
}

/** Arguments of \`now\`. */
export type NowInput = { readonly [key: string]: unknown }

/**
 * The time.
 *
 * The tool "now".
 */
export function now(
  caller: Caller,
  input: NowInput = {},
  options?: CallOptions,
): Promise<CallResult> {
  return run(caller, "calc/now", input, options)
}
`)
})

test('generate: the same bytes whatever the order of tools and of keys', () => {
  const turned = (value: Json): Json =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, item]) => [key, turned(item)]),
        )
      : value
  const tools = [toolOf('b'), add, toolOf('add_numbers'), toolOf('ADD numbers')]
  const other = [...tools]
    .reverse()
    .map((tool) => turned(tool as unknown as Json) as unknown as GeneratedTool)
  expect(generateModule('calc', other).code).toBe(generateModule('calc', tools).code)
})

test('generate: no function is named then, which would make the imported module a thenable', () => {
  expect(generateModule('s', [toolOf('then')]).functions).toEqual([{ tool: 'then', name: 'then_' }])
})

test('generate: a tool with an odd name does not take the name of another', () => {
  const tools = ['--help', 'help', 'get_sum', 'get-sum', 'getSum'].map((name) => toolOf(name))
  const namesIn = ({ functions }: ReturnType<typeof generateModule>) =>
    Object.fromEntries(functions.map(({ tool, name }) => [tool, name]))
  expect(namesIn(generateModule('s', tools))).toEqual({
    '--help': 'help_2',
    help: 'help',
    'get-sum': 'getSum_2',
    getSum: 'getSum',
    get_sum: 'getSum_3',
  })
  expect(namesIn(generateProgram('s', tools))).toEqual({
    '--help': 'help-3',
    help: 'help-2',
    'get-sum': 'get-sum',
    getSum: 'getsum',
    get_sum: 'get-sum-2',
  })
})

test('generate: names of many tools without a letter of ASCII are found in linear time', () => {
  const tools = Array.from({ length: 100_000 }, (_, at) => String.fromCodePoint(0x20000 + at))
  expect(new IdentifierPool([]).camel(tools).at(-1)).toBe('tool_100000')
})

test('generate: code points that are not assigned are left as they are', () => {
  expect(toLiteral('\u0378\uFDD0\uE000')).toBe('"\u0378\\ufdd0\\ue000"')
})

test('generate: reserved words, names of the module, digits and collisions get names of their own', () => {
  const names = [
    'delete',
    'Delete',
    'a-b',
    'a_b',
    'aB',
    '2d',
    '',
    '…',
    'run',
    'hostError',
    'await',
    '__proto__',
    'URL',
  ]
  const { code, functions } = generateModule(
    's',
    names.map((name) => toolOf(name)),
  )
  expect(Object.fromEntries(functions.map(({ tool, name }) => [tool, name]))).toEqual({
    '': 'tool',
    '2d': 'tool2d',
    Delete: 'delete__2',
    URL: 'url',
    ['__proto__']: 'proto',
    'a-b': 'aB_2',
    aB: 'aB',
    a_b: 'aB_3',
    await: 'await_',
    delete: 'delete_',
    hostError: 'hostError_2',
    run: 'run_2',
    '…': 'tool_2',
  })
  expect(compile(code).problems).toEqual([])
})

const marker = 'INJECTED'
const attacks = [
  `*/ ${marker}() /*`,
  `*\\/ ${marker}() /*`,
  `**//* */${marker}()`,
  `"; ${marker}(); "`,
  `\\"; ${marker}(); //`,
  `\`\${${marker}()}\``,
  `\${${marker}()}`,
  `\n${marker}()\n`,
  `\r${marker}()\u2028${marker}()\u2029`,
  `'] = ${marker}() //`,
  `} ${marker}() {`,
  `]: ${marker}; [x`,
  `@ts-ignore\n@ts-nocheck\n@deprecated\n {@link ${marker}}`,
  `//# sourceMappingURL=data:,${marker}`,
  `/*# sourceMappingURL=data:,${marker}`,
  `#__NO_SIDE_EFFECTS__ @__PURE__ x@__PURE__`,
  `<!-- ${marker} --></script>`,
  `\u202E${marker}\u2066\u200B\uFEFF\u0000\u001B[2J`,
  `\uD800`,
  '\\',
  '*',
  '/',
  '__proto__',
  'constructor',
  'toString',
  'import("x")',
  'typeof globalThis',
]
const text = fc.oneof(
  fc.constantFrom(...attacks),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ maxLength: 6 }),
)

/** Objects with any own key, `__proto__` included. */
const record = (value: fc.Arbitrary<Json>) =>
  fc.array(fc.tuple(text, value), { maxLength: 3 }).map((entries): JsonObject => Object.fromEntries(entries))
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    text,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    record(tie('value')),
  ),
})).value

const refs = [
  '#',
  '#/$defs/a',
  '#/$defs/b',
  '#/properties/x',
  '#/anyOf/0',
  'https://host.example/x',
  '#/$defs/a/items',
]
const { schema } = fc.letrec<{ schema: Json }>((tie) => {
  const one = tie('schema')
  const few = fc.array(one, { maxLength: 3 })
  const types = fc.constantFrom(
    'string',
    'number',
    'integer',
    'boolean',
    'null',
    'object',
    'array',
    `x ${marker}`,
  )
  const keywords = {
    type: fc.oneof(types, fc.array(types, { maxLength: 3 }), json),
    title: fc.oneof(text, json),
    description: fc.oneof(text, json),
    default: json,
    format: fc.oneof(text, json),
    deprecated: fc.boolean(),
    nullable: fc.boolean(),
    enum: fc.oneof(fc.array(json, { maxLength: 4 }), json),
    const: json,
    properties: fc.oneof(record(one), json),
    required: fc.oneof(fc.array(text, { maxLength: 3 }), json),
    additionalProperties: fc.oneof(one, fc.boolean()),
    patternProperties: record(one),
    items: fc.oneof(one, few),
    prefixItems: few,
    minItems: fc.oneof(fc.integer(), json),
    anyOf: few,
    oneOf: few,
    allOf: few,
    not: one,
    $ref: fc.oneof(fc.constantFrom(...refs), text),
    $defs: fc.record({ a: one, b: one }),
  }
  // A few keywords each: with all of them a schema of three levels has thousands of parts.
  const parts = Object.entries(keywords).map(([key, value]: [string, fc.Arbitrary<unknown>]) =>
    value.map((each): JsonObject => ({ [key]: each as Json })),
  )
  const some = fc
    .array(fc.oneof(...parts), { maxLength: 5 })
    .map((list): Json => Object.assign({}, ...list) as JsonObject)
  return {
    schema: fc.oneof({ maxDepth: 3, depthIdentifier: 'schema' }, json, fc.boolean(), {
      arbitrary: some,
      weight: 8,
    }),
  }
})
const objectSchema = schema.map((each): JsonObject =>
  typeof each === 'object' && each !== null && !Array.isArray(each) ? (each as JsonObject) : {},
)
const tool = fc.record(
  {
    tool: text,
    title: text,
    description: text,
    inputSchema: objectSchema,
    outputSchema: objectSchema,
    annotations: fc.record({ readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() }),
  },
  { requiredKeys: ['tool', 'description', 'inputSchema', 'annotations'] },
)

/** What no type of a schema needs: a way to run code, or to refer to a value or another module. */
const refused = [
  ts.SyntaxKind.TypeQuery,
  ts.SyntaxKind.ImportType,
  ts.SyntaxKind.ExpressionStatement,
  ts.SyntaxKind.ComputedPropertyName,
]

/** What bundlers and source maps look for in comments, or in the whole text. */
const directive = /\/[/*][#@]|[#@]__/

test('T60 generate: no text becomes a directive of a bundler or of source maps', () => {
  const texts = attacks.filter((each) => directive.test(each))
  expect(texts).toHaveLength(3)
  for (const description of texts) {
    const { code } = generateModule(description, [
      toolOf(description, {
        description,
        inputSchema: { type: 'object', properties: { [description]: { description, const: description } } },
      }),
    ])
    expect(code).not.toMatch(directive)
    expect(generateProgram(description, [toolOf(description, { description })]).code).not.toMatch(directive)
  }
})

test('T60 generate: whatever a server sends, the module compiles and holds only the statements of the generator', () => {
  fc.assert(
    fc.property(
      text,
      fc.uniqueArray(tool, { selector: (each) => each.tool, minLength: 1, maxLength: 6 }),
      (server, tools) => {
        const { code } = generateModule(server, tools)
        const { file, problems } = compile(code)
        expect(problems).toEqual([])
        expect(code).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}]|[\u2028\u2029\u200B\uFEFF]/u)
        expect(code).not.toMatch(directive)
        expect(
          file.statements.filter((statement) => !isExpected(statement)).map((each) => each.getText()),
        ).toEqual([])
        for (const node of nodesOf(file)) {
          expect(refused).not.toContain(node.kind)
          expect(ts.isIdentifier(node) && !ts.isPropertySignature(node.parent) && node.text).not.toBe(marker)
          const tags = ts.getJSDocTags(node).map(({ tagName }) => tagName.text)
          expect(tags.filter((name) => name !== 'deprecated')).toEqual([])
        }
      },
    ),
    { numRuns: 40, endOnFailure: true },
  )
}, 60_000)

function isExpected(statement: ts.Statement): boolean {
  if (ts.isTypeAliasDeclaration(statement)) return true
  if (ts.isImportDeclaration(statement)) return statement.moduleSpecifier.getText() === "'plugboard'"
  if (!ts.isFunctionDeclaration(statement)) return false
  const name = statement.name?.text ?? ''
  const body = statement.body?.getText() ?? ''
  return (
    ['run', 'runTyped'].includes(name) ||
    /^\{\n {2}return (?:run|runTyped)\(caller, "(?:[^"\\\n]|\\[^\n])*", input, options\)\n\}$/.test(body)
  )
}
