import { format } from 'node:util'

// Runs commands of the official conformance suite, one after the other, in this process. Loading the packages of the suite
// takes longer than most of its scenarios, so they are loaded once; the suite's own file is evaluated for each command.
// The parent sends `{ suite, args }` and gets `{ code, stdout, stderr }`.
class Exit extends Error {}

let commands = 0
const endProcess = process.exit.bind(process)
// Servers of the suite that it leaves open would keep this process.
process.on('disconnect', () => endProcess())
process.on('message', ({ suite, args }) => {
  void runCommand(suite, args).then((result) => process.send(result))
})
// The suite ends its process within asynchronous functions, whose promises are rejected then.
process.on('unhandledRejection', (error) => {
  if (!(error instanceof Exit)) throw error
})

async function runCommand(suite, args) {
  let stdout = ''
  let stderr = ''
  console.log = (...words) => void (stdout += `${format(...words)}\n`)
  console.error = (...words) => void (stderr += `${format(...words)}\n`)
  process.argv = [process.execPath, suite, ...args]
  const code = await new Promise((resolve, reject) => {
    process.exit = (status) => {
      resolve(status ?? process.exitCode ?? 0)
      throw new Exit()
    }
    import(`${suite}?run=${++commands}`).catch((error) => {
      if (!(error instanceof Exit)) reject(error)
    })
  })
  return { code, stdout, stderr }
}
