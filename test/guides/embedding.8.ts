const cwd = process.cwd()
const server = 'github'
//- snippet
