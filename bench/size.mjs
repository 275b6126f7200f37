import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

// Measures the disk space of `npm i plugboard`: packs the package as for publishing and installs it into an empty folder.
// `node bench/size.mjs` runs only this.

const atMostMb = 25

/** Returns a sentence for the page, also if the installation fails. */
export function measureSize(root) {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-size-'))
  try {
    const app = join(folder, 'app')
    mkdirSync(app)
    writeFileSync(join(app, 'package.json'), '{ "private": true }\n')
    const [{ filename }] = JSON.parse(npm(['pack', '--json', '--pack-destination', folder], root))
    npm(
      ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--omit=peer', join(folder, filename)],
      app,
    )
    const modules = join(app, 'node_modules')
    const parts = packagesIn(modules)
      .map((name) => ({ name, mb: megabytes(join(modules, name)) }))
      .toSorted((a, b) => b.mb - a.mb)
    const largest = parts.slice(0, 4).map(({ name, mb }) => `${name} ${mb.toFixed(1)}`)
    const whole = megabytes(modules).toFixed(1)
    return `\`npm i plugboard\` installs ${parts.length} packages with ${whole} MB (at most ${atMostMb}), the largest of them: ${largest.join(', ')}.`
  } catch (error) {
    return `What \`npm i plugboard\` installs was not measured: ${error.message}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function npm(args, cwd) {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' })
  if (status === 0) return stdout
  throw new Error(`npm ${args[0]} ended with ${status}: ${stderr.trim().split('\n').at(-1)}`)
}

function packagesIn(modules) {
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
    )
}

/** Disk usage, in whole blocks. */
function megabytes(path) {
  const inside = readdirSync(path, { recursive: true }).map((name) => lstatSync(join(path, name)))
  return [lstatSync(path), ...inside].reduce((sum, { blocks }) => sum + blocks * 512, 0) / 1e6
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(measureSize(fileURLToPath(new URL('..', import.meta.url))))
}
