/** A table for a person: columns as wide as their widest cell. Pure. */

/** `widths` are the least that columns have, so that they do not jump. */
export const renderColumns = (rows: readonly (readonly string[])[], widths: readonly number[] = []): string => {
  const columns = rows[0]?.map((_, column) =>
    Math.max(widths[column] ?? 0, ...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(columns?.[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
