//! The order in which entries can be rendered.

/// Groups the indices of entries into levels, each after the levels that it needs. The graph has no cycles.
pub fn levels(needs: &[&[usize]]) -> Vec<Vec<usize>> {
    let mut depth: Vec<Option<usize>> = vec![None; needs.len()];
    for start in 0..needs.len() {
        let mut stack = vec![start];
        while let Some(number) = stack.last().copied() {
            let dependencies = needs[number];
            match dependencies.iter().find(|need| depth[**need].is_none()) {
                Some(need) if depth[number].is_none() => stack.push(*need),
                _ => {
                    let below = dependencies.iter().filter_map(|need| depth[*need]).max();
                    depth[number] = Some(below.map_or(0, |below| below + 1));
                    stack.pop();
                }
            }
        }
    }
    let mut levels: Vec<Vec<usize>> = Vec::new();
    for (number, depth) in depth.into_iter().map(Option::unwrap_or_default).enumerate() {
        if levels.len() <= depth {
            levels.resize(depth + 1, Vec::new());
        }
        levels[depth].push(number);
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_comes_after_what_it_needs() {
        assert_eq!(
            levels(&[&[2], &[0, 3], &[], &[2]]),
            [vec![2], vec![0, 3], vec![1]]
        );
        assert!(levels(&[]).is_empty());
        // A chain as long as a lockfile must not overflow the stack.
        let chain: Vec<Vec<usize>> = (0..50_000)
            .map(|at| if at == 0 { vec![] } else { vec![at - 1] })
            .collect();
        assert_eq!(
            levels(&chain.iter().map(Vec::as_slice).collect::<Vec<_>>()).len(),
            50_000
        );
    }
}
