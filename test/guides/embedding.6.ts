const cwd = process.cwd()
//- snippet
