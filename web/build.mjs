import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { thirdPartyNotices } from '../scripts/notices.mjs'

const web = fileURLToPath(new URL('.', import.meta.url))
const outDir = join(web, '../dist/page')

/**
 * The page in four files: what the first view needs, the chat with its Markdown, all other places, loaded with the
 * first of them, and what shows apps, loaded with the first app. Files that are small compress badly: one a place would be 12 kB more in all.
 */
const groups = [
  { name: 'index', test: /web.src.main\.tsx$|node_modules.@?preact/, priority: 3 },
  { name: 'work', test: /web.src.(?:frame|parts.(?!app.)|state|places.(?!chat))/, priority: 2 },
  { name: 'chat', test: /web.src.places.chat|node_modules.marked/, priority: 1 },
  // The bridge to apps, with what it needs.
  {
    name: 'app',
    test: /web.src.parts.app.|src.apps.(?:connect-app|partial-input)|node_modules.(?:@modelcontextprotocol|zod)/,
    priority: 0,
  },
]

/** Builds the page into dist/page: names with hashes, and beside each file its br and gz. */
export async function buildPage() {
  const { output } = await build({
    root: web,
    configFile: false,
    logLevel: 'warn',
    plugins: [plainElements, lexerOnly, plainIcons, bridgeOnly],
    oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      cssTarget: 'chrome123',
      // Data addresses are not allowed by the content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        output: { codeSplitting: { groups } },
      },
    },
  })
  writeFileSync(join(outDir, 'THIRD-PARTY.md'), thirdPartyNotices(output, 'the page'))
  for (const file of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
    if (/\.(?:js|css|html|svg)$/.test(file)) compress(join(outDir, file))
  }
}

/**
 * The page draws the tokens of Markdown itself: of `marked` only the lexer is kept, 3 kB less. The object that the package
 * makes of all its parts keeps them from being dropped, so its statements, the last of the file, are taken out. So are the
 * rules of the original Markdown (`pedantic`), which the page never asks for.
 */
const lexerOnly = {
  name: 'lexer-only',
  transform(code, id) {
    if (!/node_modules.marked.lib.marked\.esm\.js$/.test(id)) return undefined
    const instance = [...code.matchAll(/var \w+=new \w+;function \w+\(/g)].at(-1)
    const lexer = /\b(\w+ as Lexer)\b/.exec(code)
    if (!instance || !lexer) throw new Error('marked has another form: see web/build.mjs')
    const kept = code
      .slice(0, instance.index)
      .replaceAll('this.options.pedantic', 'false')
      .replaceAll(/,pedantic:\w+\}/g, '}')
    return { code: `${kept}export{${lexer[1]}}`, map: null }
  },
}

/**
 * Elements are made with `h(type, props, ...children)`: with the functions of `preact/jsx-runtime` each list of children is one
 * more property, and the scripts are 1 kB larger.
 */
const plainElements = {
  name: 'plain-elements',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('.tsx')) return undefined
    const isNamed = /import \{[^}]*\bFragment\b[^}]*\} from 'preact'/.test(code)
    return { code: `import { h${isNamed ? '' : ', Fragment'} } from 'preact';${code}`, map: null }
  },
}

/**
 * The icons of `lucide-preact` as data only, drawn by the few lines below: its own component reads a context and merges
 * classes that the page does not have. Random keys and other names of icons are left out. 1 kB less.
 */
const plainIcons = {
  name: 'plain-icons',
  transform(code, id) {
    if (/node_modules.lucide-preact.dist.esm.createLucideIcon\.mjs$/.test(id))
      return { code: icon, map: null }
    if (!/node_modules.lucide-preact.dist.esm.icons/.test(id)) return undefined
    const lines = code.replaceAll(/,\s*key: "\w+"/g, '').replaceAll(/,\s*aliases: \[[^\]]*\]/g, '')
    return { code: lines.replaceAll(/\bname: "[\w-]+",\s*size: 24,/g, ''), map: null }
  },
}

const icon = `import { h } from 'preact'
export default ({ node }) => ({ size, strokeWidth = 2, ...rest }) =>
  h('svg', { width: size, height: size, viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor',
    'stroke-width': strokeWidth, 'stroke-linecap': 'round', 'stroke-linejoin': 'round', ...rest },
    node.map(([name, attributes]) => h(name, attributes)))`

/**
 * Of what the bridge to apps brings along, the page never checks a JSON Schema nor writes one: 5 kB less. And the library of
 * schemas does not try whether text may run as code, which the policy of the page would report each time.
 */
let protocolSource
const bridgeOnly = {
  name: 'bridge-only',
  // Of the client of the SDK the bridge extends one class; the rest, a whole client, would stay: 17 kB less.
  enforce: 'pre',
  async resolveId(id, importer = '') {
    if (id !== '@modelcontextprotocol/client' || !importer.includes('ext-apps')) return null
    const { id: entry } = await this.resolve(id, importer, { skipSelf: true })
    const found = /([\w$]+) as Protocol\b[^}]*\} from "\.\/(src-[\w-]+\.mjs)"/.exec(
      readFileSync(entry, 'utf8'),
    )
    if (!found) throw new Error('@modelcontextprotocol/client has another form: see web/build.mjs')
    protocolSource = `export { ${found[1]} as Protocol } from ${JSON.stringify(join(dirname(entry), found[2]))}`
    return 'bridge-protocol'
  },
  load(id) {
    return id === 'bridge-protocol' ? protocolSource : null
  },
  transform(code, id) {
    if (/@modelcontextprotocol.client.dist.cfWorkerProvider-[\w-]+\.mjs$/.test(id))
      return { code: 'class Validator {}\nexport { Validator as t }', map: null }
    if (/node_modules.zod.v4.core.json-schema-processors\.js$/.test(id)) {
      const names = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name)
      return { code: names.map((name) => `export function ${name}() {}`).join('\n'), map: null }
    }
    if (!/node_modules.zod.v4.core.util\.js$/.test(id)) return undefined
    if (!code.includes('new F("")')) throw new Error('zod has another form: see web/build.mjs')
    return { code: code.replace('new F("")', 'throw new Error()'), map: null }
  },
}

function compress(file) {
  const bytes = readFileSync(file)
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}

// `node web/build.mjs` builds the page alone, in about a second.
if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPage()
