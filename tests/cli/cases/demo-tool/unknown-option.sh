demo-tool show --lyers 3
