declare const __VERSION__: string

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
  process.stdout.write(`${__VERSION__}\n`)
} else {
  const { runCli } = await import('./app.ts')
  await runCli(args, process, __VERSION__)
}
