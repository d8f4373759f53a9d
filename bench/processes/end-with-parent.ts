/** The child's half of a life that ends with its parent's: stdin is a pipe that only the parent holds open. */

export const endWithParent = (): void => {
  process.stdin.on('close', () => process.exit());
  process.stdin.resume();
};
