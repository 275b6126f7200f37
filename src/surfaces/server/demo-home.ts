import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface DemoHome {
  /** The project in it. */
  readonly cwd: string
  close(): Promise<void>
}

/** What the demo keeps of the environment: programs are found and text is drawn as before, no key and no folder is known. */
const keptVariables =
  /^(?:path|term|colorterm|no_color|force_color|lang|lc_\w+|tz|tmpdir|temp|tmp|systemroot|comspec|pathext|windir|node_\w+)$/i

/**
 * Makes a home directory with three sample servers, of which one is broken on purpose, and the demo server, and moves this
 * process into it: from here on everything that it reads or writes, and every program that it starts, is there.
 */
export async function moveIntoDemoHome(env: NodeJS.ProcessEnv): Promise<DemoHome> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'plugboard-demo-')))
  try {
    await cp(await findExamples(), home, { recursive: true })
    await addDemoServer(home)
    const weather = await startWeather(home)
    for (const name of Object.keys(env)) if (!keptVariables.test(name)) delete env[name]
    Object.assign(env, {
      HOME: home,
      USERPROFILE: home,
      WEATHER_PORT: weather.port,
      PATH: [dirname(process.execPath), env['PATH'] ?? env['Path'] ?? ''].join(delimiter),
    })
    return {
      cwd: join(home, 'project'),
      async close() {
        await weather.close()
        await rm(home, { recursive: true, force: true, maxRetries: 3 })
      },
    }
  } catch (error) {
    await rm(home, { recursive: true, force: true })
    throw error
  }
}

/** `examples/start` of the package: this file is in dist/cli/chunks, or in src/surfaces/server. */
async function findExamples(): Promise<string> {
  return fileURLToPath(new URL('../../../examples/start', import.meta.url))
}

async function addDemoServer(home: string): Promise<void> {
  const { demoServerFile } = await import('../demo/demo.ts')
  await cp(demoServerFile, join(home, 'servers/demo.mjs'))
  const file = join(home, '.config/plugboard/mcp.json')
  const text = await readFile(file, 'utf8')
  const demo = '"demo": { "command": "node", "args": ["${HOME}/servers/demo.mjs"] },'
  await writeFile(
    file,
    text.replace(/^(\s*)"notes"/m, (entry, space: string) => `${space}${demo}\n${entry}`),
  )
}

/** A server over HTTP. It ends with its input. */
async function startWeather(home: string) {
  const child = spawn(process.execPath, [join(home, 'servers/weather.mjs')], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'] },
  })
  const exited = once(child, 'exit')
  const [line] = (await Promise.race([once(child.stdout, 'data'), exited])) as [unknown] // the port, or an exit code
  child.stdout.resume()
  return {
    port: String(line).trim(),
    async close() {
      child.stdin.end()
      await exited
    },
  }
}
